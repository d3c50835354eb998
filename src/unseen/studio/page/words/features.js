// Rows of features in a file: CSV, or an array of NumPy.

import { count } from "./names.js";
import { readCells, readNumber } from "./csv.js";

/** Return {names, rows} of a file; what is wrong with it is thrown as one sentence. */
export async function readFeatures(file, expected) {
  const isArray = file.name.toLowerCase().endsWith(".npy");
  const found = isArray ? readNpy(await file.arrayBuffer(), file.name) : readTable(await file.text(), file.name, expected);
  const width = expected?.width ?? found.rows[0].length;
  found.rows.forEach((row, at) => {
    if (row.length !== width) {
      throw new Error(`${file.name} has ${count(row.length, "value")} in row ${at + 1}, but the model takes ${count(width, "feature")}`);
    }
    const wrong = row.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0) throw new Error(`${file.name} has a value that is not a number in row ${at + 1}, column ${wrong + 1}: fill it`);
  });
  return found;
}

function readTable(text, name, expected) {
  const cells = readCells(text);
  if (!cells.length) throw new Error(`${name} is empty`);
  const isHead = cells[0].filter((cell) => Number.isNaN(readNumber(cell))).length > 1 || (cells[0].length === 1 && Number.isNaN(readNumber(cells[0][0])));
  const heads = isHead ? cells.shift() : null;
  if (!cells.length) throw new Error(`${name} has a heading but no rows`);
  const columns = orderColumns(heads, cells[0], expected, name);
  const named = Number.isNaN(readNumber(cells[0][0])) && !columns.includes(0);
  return {
    names: cells.map((row, at) => (named ? row[0] : `${name} ${at + 1}`)),
    rows: cells.map((row) => Float64Array.from(columns, (column) => readNumber(row[column] ?? ""))),
  };
}

/** Find the columns of features: by their names where both have names, else all numbers in their order. */
function orderColumns(heads, first, expected, name) {
  if (heads && expected?.names.length) {
    const missing = expected.names.filter((wanted) => !heads.includes(wanted));
    if (missing.length) throw new Error(`${name} has no column ${missing[0]}, which the model was fitted on`);
    return expected.names.map((wanted) => heads.indexOf(wanted));
  }
  const start = Number.isNaN(readNumber(first[0])) ? 1 : 0;
  return first.slice(start).map((_, at) => at + start);
}

const TYPES = {
  f4: (view, at) => view.getFloat32(at, true),
  f8: (view, at) => view.getFloat64(at, true),
  f2: (view, at) => readHalf(view.getUint16(at, true)),
  i4: (view, at) => view.getInt32(at, true),
  i8: (view, at) => Number(view.getBigInt64(at, true)),
  u1: (view, at) => view.getUint8(at),
};

function readNpy(buffer, name) {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  const isNpy = bytes.length > 12 && bytes[0] === 0x93 && new TextDecoder().decode(bytes.subarray(1, 6)) === "NUMPY";
  if (!isNpy) throw new Error(`${name} is not an array of NumPy`);
  const [start, length] = bytes[6] === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  const head = new TextDecoder().decode(bytes.subarray(start, start + length));
  const type = /'descr':\s*'[<|]?([a-z]\d)'/.exec(head)?.[1];
  const shape = (/'shape':\s*\(([^)]*)\)/.exec(head)?.[1] ?? "").split(",").filter((part) => part.trim()).map(Number);
  if (!TYPES[type] || shape.length !== 2 || /'fortran_order':\s*True/.test(head)) {
    throw new Error(`${name} is not a matrix of plain numbers, row by row: save it with np.save(path, np.ascontiguousarray(X))`);
  }
  const [rows, width] = shape;
  const size = Number(type.slice(1));
  if (bytes.length < start + length + rows * width * size) throw new Error(`${name} is cut off: copy it again`);
  const found = [];
  for (let i = 0; i < rows; i++) {
    const origin = start + length + i * width * size;
    found.push(Float64Array.from({ length: width }, (_, j) => TYPES[type](view, origin + j * size)));
  }
  return { names: found.map((_, at) => `${name} ${at + 1}`), rows: found };
}

function readHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
