// The search that the address holds, so that any search can be kept, shared on this machine, and gone back to.

// Passages that are asked for.
export const LIMIT = 30;
export const FILTERS = ["kind", "in", "site", "since", "until"];

// {q, like, hit, kind: [..], in, site, since, until}; what is not given is "" or [].
export function readAddress() {
  const given = new URLSearchParams(location.search);
  const one = (name) => given.get(name) ?? "";
  const [q, like, hit, folder, site, since, until] = ["q", "like", "hit", "in", "site", "since", "until"].map(one);
  return { q, like, hit, kind: given.getAll("kind"), in: folder, site, since, until };
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
  const wanted = { text: search.q, limit: LIMIT };
  if (search.like) wanted.like = Number(search.like);
  if (search.kind.length) wanted.kinds = search.kind;
  if (search.in) wanted.folder = search.in;
  for (const name of ["site", "since", "until"]) if (search[name]) wanted[name] = search[name];
  return wanted;
}

export const hasFilter = (search) => FILTERS.some((name) => search[name].length > 0);

export const withoutFilters = (search) => ({ ...search, kind: [], in: "", site: "", since: "", until: "" });
