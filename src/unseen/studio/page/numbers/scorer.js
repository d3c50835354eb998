// Score all pictures against one description, and say how the score of a picture depends on it.

import { applyOperations, multiply, pullBackOperations } from "./operations.js";
import { findSlope, makeColumn } from "./heads.js";

/** The scores of a model that the page can compute. */
export class Scorer {
  constructor(terms, count) {
    this.terms = terms;
    this.count = count;
    this.columns = new WeakMap();
  }

  /** Return the scores of all pictures for a description, kept for as long as the description is. */
  column(vector) {
    let column = this.columns.get(vector);
    if (!column) this.columns.set(vector, (column = this.compute(vector)));
    return column;
  }

  compute(vector) {
    const column = new Float64Array(this.count);
    for (const { operations, head, rows } of this.terms) {
      const { E, b } = makeColumn(head, applyOperations(operations, vector));
      addProducts(column, rows.values, E, b);
    }
    return column;
  }

  /** Return the gradient of the score of one picture by the description. */
  slope(vector, picture) {
    const total = new Float64Array(vector.length);
    for (const { operations, head, rows } of this.terms) {
      const trace = [];
      const psi = applyOperations(operations, vector, trace);
      const gradient = pullBackOperations(operations, trace, findSlope(head, psi, takeRow(rows, picture)));
      for (let j = 0; j < total.length; j++) total[j] += gradient[j];
    }
    return total;
  }

  /** Add pictures: for each the numbers of every term. */
  append(added) {
    this.terms = this.terms.map((term, at) => ({ ...term, rows: extend(term.rows, added.map((row) => row[at])) }));
    this.count += added.length;
    this.columns = new WeakMap();
  }
}

/** Make the numbers of every term of a row of features. */
export function projectFeatures(features, row) {
  return features.terms.map(({ operations, project }) => {
    const phi = applyOperations(operations, row);
    return project ? multiply(phi, project) : phi;
  });
}

export function takeRow({ shape: [, width], values }, at) {
  return values.subarray(at * width, (at + 1) * width);
}

function addProducts(column, rows, E, b) {
  const width = E.length;
  for (let i = 0, at = 0; i < column.length; i++) {
    let sum = b;
    for (let j = 0; j < width; j++, at++) sum += rows[at] * E[j];
    column[i] += sum;
  }
}

function extend({ shape: [count, width], values }, added) {
  const longer = new values.constructor(values.length + added.length * width);
  longer.set(values);
  added.forEach((row, at) => longer.set(row, (count + at) * width));
  return { shape: [count + added.length, width], values: longer };
}
