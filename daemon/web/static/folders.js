// A dialog to choose a folder that exists.

import { ask } from "./api.js";
import { button, h, icon, replace } from "./dom.js";
import { openDialog } from "./dialogs.js";

const REFUSED = { secret: "It holds secrets, which capsa never indexes.", home: "capsa keeps its own files there." };

// Resolves to the path of the folder, null when none was chosen.
export function chooseFolder() {
  return new Promise((resolve) => {
    const place = h("p", { class: "path" });
    const list = h("ul", { class: "folders" });
    const told = h("p", { class: "dim", role: "status" });
    const choose = button("Add this folder", () => dialog.close(chosen), { class: "strong" });
    const cancel = button("Cancel", () => dialog.close());
    let chosen = "";
    const dialog = openDialog(
      [
        h("h2", {}, "Add a folder"),
        h("p", { class: "dim" }, "Everything in it that capsa can read is indexed, with all folders inside."),
        place,
        list,
        told,
        h("div", { class: "actions" }, cancel, choose),
      ],
      "Add a folder",
    );
    dialog.classList.add("wide");
    dialog.addEventListener("close", () => resolve(dialog.returnValue || null));

    async function go(path) {
      let here;
      try {
        here = await ask("folders", { path });
      } catch (failure) {
        told.textContent = failure.message;
        return;
      }
      chosen = here.path;
      place.textContent = here.path;
      const separator = here.path.includes("\\") ? "\\" : "/";
      const inside = (name) => here.path.replace(/[\\/]$/, "") + separator + name;
      replace(
        list,
        here.parent !== null &&
          h(
            "li",
            {},
            button([icon("up"), "The folder above"], () => go(here.parent), { class: "plain" }),
          ),
        here.folders.map((name) =>
          h(
            "li",
            {},
            button([icon("folder"), name], () => go(inside(name)), { class: "plain" }),
          ),
        ),
      );
      told.textContent =
        REFUSED[here.refused] ?? here.refused ?? (here.folders.length ? "" : "There are no folders in here.");
      choose.disabled = Boolean(here.refused) || here.parent === null;
      list.querySelector("button")?.focus();
    }
    go(null);
  });
}
