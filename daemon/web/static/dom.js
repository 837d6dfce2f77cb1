// Elements made of names, properties and children. Text becomes text nodes: no document's string is ever read as HTML.

import { LINES } from "./icons.js";

const SVG = "http://www.w3.org/2000/svg";

export function h(name, properties, ...children) {
  return fill(document.createElement(name), properties, children);
}

export function svg(name, properties, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: LINES[name] }));
}

export function button(label, onclick, properties) {
  return h("button", { type: "button", onclick, ...properties }, ...[label].flat());
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isThere));
}

// Does the work when what was changed until now has been drawn; resolves when it is done.
export function afterDrawing(work) {
  return new Promise((resolve) => {
    requestAnimationFrame(() =>
      setTimeout(() => {
        work();
        resolve();
      }),
    );
  });
}

const isThere = (child) => child !== null && child !== undefined && child !== false;

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (isThere(value)) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(isThere));
  return element;
}
