// A description pasted from a spreadsheet: with the names of its columns, or in their order.

import { count } from "./names.js";
import { readCells, readNumber } from "./csv.js";

/** Return [description, note], or [null, what is wrong]. */
export function readPasted(text, names, attributes) {
  const rows = readCells(text);
  if (!rows.length) return [null, "Paste a row of values, with or without the names of the attributes above it."];
  const heads = rows.length > 1 && rows[0].filter((cell) => names.includes(cell)).length > 0 ? rows[0] : null;
  const cells = rows[heads ? 1 : 0];
  return heads ? readNamed(heads, cells, names, attributes) : readOrdered(cells, names, attributes);
}

function readNamed(heads, cells, names, attributes) {
  const vector = Float64Array.from(attributes.averages);
  let found = 0;
  for (const [column, head] of heads.entries()) {
    const at = names.indexOf(head);
    if (at < 0) continue;
    const value = convert(cells[column] ?? "", at, attributes);
    if (typeof value === "string") return [null, value];
    vector[at] = value;
    found++;
  }
  const missing = names.length - found;
  return [vector, missing ? `${count(missing, "attribute")} not given: the average is taken.` : ""];
}

function readOrdered(cells, names, attributes) {
  // A name may stand before the values.
  const values = cells.length === names.length + 1 && Number.isNaN(readNumber(cells[0])) ? cells.slice(1) : cells;
  if (values.length !== names.length) {
    return [null, `This row has ${count(values.length, "value")}, but classes have ${count(names.length, "attribute")}: paste one for each, or their names above.`];
  }
  const vector = new Float64Array(names.length);
  for (let at = 0; at < values.length; at++) {
    const value = convert(values[at], at, attributes);
    if (typeof value === "string") return [null, value];
    vector[at] = value;
  }
  return [vector, ""];
}

/** Return the value of a cell, or what is wrong with it. */
function convert(cell, at, attributes) {
  const value = readNumber(cell);
  const { name } = attributes.list[at];
  if (!Number.isFinite(value)) return `${name} has the value “${cell}”, which is not a number: correct it.`;
  if (attributes.units !== "share" || (value >= 0 && value <= 1)) return value;
  return `${name} has the value ${cell}, but those of this table lie between 0 and 1: divide it, or write a per cent sign.`;
}
