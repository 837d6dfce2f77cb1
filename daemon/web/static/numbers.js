// Numbers for people.

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString()} ${number === 1 ? one : many}`;

export function bytes(number) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let place = 0;
  let value = number;
  while (value >= 1000 && place < units.length - 1) {
    value /= 1000;
    place += 1;
  }
  return `${place ? value.toFixed(1) : value} ${units[place]}`;
}

export const percent = (share) => `${(share * 100).toFixed(share && share < 0.1 ? 1 : 0)} %`;
