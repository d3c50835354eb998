// What a picture says of each attribute: the description of its class after the model displaced it (z_s of the paper).

import { applyOperations, multiply } from "./operations.js";
import { findSlope, makeColumn } from "./heads.js";
import { takeRow } from "./scorer.js";

/** Return the displaced description in the units of the table, or null if the model displaces none. */
export function findDisplaced(terms, picture, vector) {
  const term = terms.find(({ says }) => says);
  if (!term) return null;
  const { operations, head, says, rows } = term;
  const trace = [];
  const psi = applyOperations(operations, vector, trace);
  const row = takeRow(rows, picture);
  const moved = says.kind === "displaced" ? moveAtCost(head, psi, row, says) : moveByMean(head, psi, row, says);
  return undo(operations, trace, psi.map((value, j) => value + moved[j]), psi);
}

/** By Danskin, the slope of the score by psi is the cost times z_s - psi. */
function moveAtCost(head, psi, row, { cost }) {
  return findSlope(head, psi, row).map((value) => value / (head.factor * cost));
}

function moveByMean(head, psi, row, { share, inverse }) {
  const { E } = makeColumn(head, psi);
  const apart = E.map((value, j) => row[j] - value / (head.factor * head.weights.values[j]));
  return multiply(apart.map((value, j) => value * share.values[j]), inverse);
}

/** Undo shift, scale and length, the operations of a model that displaces descriptions as they are. */
function undo(operations, trace, displaced, psi) {
  let z = displaced;
  for (let at = operations.length - 1; at >= 0; at--) {
    const { op, by } = operations[at];
    if (op === "unit") {
      const after = at + 1 < operations.length ? trace[at + 1] : psi;
      const j = trace[at].reduce((best, value, i) => (Math.abs(value) > Math.abs(trace[at][best]) ? i : best), 0);
      const length = after[j] ? trace[at][j] / after[j] : 1;
      z = z.map((value) => value * length);
    } else if (op === "scale") z = z.map((value, j) => value / by.values[j]);
    else z = z.map((value, j) => value + by.values[j]);
  }
  return z;
}
