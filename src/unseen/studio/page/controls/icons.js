// Small drawings, in the colour of the text.

const PATHS = {
  undo: "M6 4 2.5 7.5 6 11M3 7.5h6.5a4 4 0 0 1 0 8H6",
  redo: "m12 4 3.5 3.5L12 11m3-3.5H8.5a4 4 0 0 0 0 8H12",
  check: "m4 9.5 3.2 3.2L14 5.8",
  cross: "m5 5 8 8m0-8-8 8",
  dash: "M5 9h8",
  chevron: "m4.5 7 4.5 4.5L13.5 7",
  link: "M7.5 10.5a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.8.8M10.5 7.5a2.6 2.6 0 0 0-3.7 0L4.5 9.8a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
  help: "M6.9 7a2.1 2.1 0 1 1 3.2 1.8c-.7.4-1.1.8-1.1 1.6M9 12.6v.1",
  close: "m5 5 8 8m0-8-8 8",
  previous: "m11.5 4.5-5 4.5 5 4.5",
  next: "m6.5 4.5 5 4.5-5 4.5",
};
const SPACE = "http://www.w3.org/2000/svg";

/** Draw one of the icons. */
export function icon(name, size = 18) {
  const svg = makeSvg(size);
  if (name === "theme") {
    svg.append(shape("circle", { cx: 9, cy: 9, r: 6.2 }), shape("path", { d: "M9 2.8a6.2 6.2 0 0 1 0 12.4z", fill: "currentColor" }));
  } else if (name === "help") {
    svg.append(shape("circle", { cx: 9, cy: 9, r: 6.6 }), shape("path", { d: PATHS.help }));
  } else svg.append(shape("path", { d: PATHS[name] }));
  return svg;
}

/** Draw the mark of the project: something in the middle that a dashed circle leaves open. */
export function brand() {
  const svg = makeSvg(22);
  svg.append(
    shape("circle", { cx: 9, cy: 9, r: 7.4, "stroke-dasharray": "3.1 2.71", "stroke-width": 1.8 }),
    shape("circle", { cx: 9, cy: 9, r: 2.7, fill: "currentColor", stroke: "none" }),
  );
  return svg;
}

function makeSvg(size) {
  const svg = document.createElementNS(SPACE, "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 18 18", width: size, height: size, "aria-hidden": true, class: "icon" })) {
    svg.setAttribute(name, value);
  }
  return svg;
}

function shape(tag, attributes) {
  const element = document.createElementNS(SPACE, tag);
  const all = { fill: "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-linecap": "round", "stroke-linejoin": "round", ...attributes };
  for (const [name, value] of Object.entries(all)) element.setAttribute(name, value);
  return element;
}
