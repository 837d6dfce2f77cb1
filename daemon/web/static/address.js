// The search that the address holds, so that any search can be kept, shared on this machine, and gone back to.

// Passages that are asked for.
export const LIMIT = 30;
const FILTERS = ["kind", "in", "site", "since", "until", "visited", "bookmarked"];

// {q, like, hit, kind: [..], in, site, since, until, visited, bookmarked}; what is not given is "" or [].
export function readAddress() {
  const given = new URLSearchParams(location.search);
  const names = ["q", "like", "hit", ...FILTERS];
  return { ...Object.fromEntries(names.map((name) => [name, given.get(name) ?? ""])), kind: given.getAll("kind") };
}

export function addressOf(search) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const each of [value].flat()) if (each) given.append(name, each);
  }
  const query = given.toString();
  return query ? `/?${query}` : "/";
}

export function requestOf(search) {
  const wanted = { text: search.q, begun: true, limit: LIMIT };
  if (search.like) wanted.like = Number(search.like);
  if (search.kind.length) wanted.kinds = search.kind;
  if (search.in) wanted.folder = search.in;
  for (const name of ["site", "since", "until"]) if (search[name]) wanted[name] = search[name];
  if (search.visited) wanted.visited = Number(search.visited);
  if (search.bookmarked) wanted.bookmarked = true;
  return wanted;
}

export const hasFilter = (search) => FILTERS.some((name) => search[name].length > 0);

export const haveSameFilters = (search, other) =>
  FILTERS.every((name) => String(search[name]) === String(other[name]));

export const withoutFilters = (search) => ({
  ...search,
  ...Object.fromEntries(FILTERS.map((name) => [name, ""])),
  kind: [],
});
