// Exchanges the key in the address for the cookie and the token of this page.

const told = document.getElementById("told");
const key = location.hash.slice(1);
// The key works once; it need not stay in the history.
history.replaceState(null, "", "/enter");

try {
  const answer = await fetch("/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ key }),
  });
  const record = await answer.json();
  if (answer.ok) {
    localStorage.setItem("token", record.token);
    location.replace("/");
  } else {
    told.textContent = `This address does not open the page: ${record.error}. Run “capsa open” for a new one.`;
  }
} catch {
  told.textContent = "capsa does not answer. Run “capsa open” in a terminal.";
}
