// How a prepared description psi becomes a column of scores: rows . E(psi) + b(psi). unseen/studio/terms.py writes them.

import { multiply, multiplyTransposed } from "./operations.js";

const HEADS = {
  quadratic: { column: quadraticColumn, slope: quadraticSlope },
  gaussian: { column: gaussianColumn, slope: gaussianSlope },
};

/** Return {E, b} of a prepared description. */
export function makeColumn(head, psi) {
  return HEADS[head.kind].column(head, psi);
}

/** Return the gradient of row . E(psi) + b(psi) by psi. */
export function findSlope(head, psi, row) {
  return HEADS[head.kind].slope(head, psi, row);
}

/** Return a row in the space of descriptions: the slope of its part of a quadratic score, without the factor. */
export function projectRow(head, row) {
  return head.M ? multiply(row, head.M) : Float64Array.from(row);
}

function quadraticColumn({ factor, M, Q }, psi) {
  const direction = M ? multiplyTransposed(M, psi) : psi;
  let b = 0;
  if (Q) multiply(psi, Q).forEach((value, i) => (b += value * psi[i]));
  return { E: direction.map((value) => factor * value), b: factor * b };
}

function quadraticSlope(head, psi, row) {
  const slope = projectRow(head, row);
  if (head.Q) {
    head.both ??= addTransposed(head.Q);
    multiply(psi, head.both).forEach((value, i) => (slope[i] += value));
  }
  return slope.map((value) => head.factor * value);
}

/** Q + Q^T, of which the gradient of psi^T Q psi is made. */
function addTransposed({ shape: [width], values }) {
  const both = new Float64Array(values.length);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) both[i * width + j] = values[i * width + j] + values[j * width + i];
  }
  return { shape: [width, width], values: both };
}

/** Compare a description with those of the seen classes: their likeness, and the one that is the same, if any. */
function compareWithSeen(head, psi) {
  const { others: { shape: [count, width], values }, spread } = head;
  const centred = psi.map((value, i) => value - head.centre.values[i]);
  const square = centred.reduce((sum, value) => sum + value * value, 0);
  const likeness = new Float64Array(count);
  let nearest = 0;
  let least = Infinity;
  for (let j = 0; j < count; j++) {
    let product = 0;
    let own = 0;
    for (let i = 0; i < width; i++) {
      const value = values[j * width + i];
      product += centred[i] * value;
      own += value * value;
    }
    const distance = Math.max(0, square + own - 2 * product);
    if (distance < least) [nearest, least] = [j, distance];
    const rbf = () => Math.exp(distance / (-2 * head.width * spread));
    likeness[j] = head.kernel === "linear" ? product / (spread / 2) : rbf();
  }
  return { centred, likeness, same: least <= head.same ? nearest : -1 };
}

function predictMean(head, { likeness, same }) {
  const width = head.alpha.shape[1];
  if (same >= 0) return Float64Array.from(head.means.values.subarray(same * width, (same + 1) * width));
  return multiply(likeness.map((value) => value + head.constant), head.alpha);
}

function gaussianColumn(head, psi) {
  const compared = compareWithSeen(head, psi);
  const mean = predictMean(head, compared);
  const weighted = mean.map((value, i) => value * head.weights.values[i]);
  let b = compared.same >= 0 ? -head.penalties.values[compared.same] : 0;
  weighted.forEach((value, i) => (b -= (value * mean[i]) / 2));
  return { E: weighted.map((value) => head.factor * value), b: head.factor * b };
}

function gaussianSlope(head, psi, row) {
  const compared = compareWithSeen(head, psi);
  const mean = predictMean(head, { ...compared, same: -1 });
  const missed = mean.map((value, i) => (row[i] - value) * head.weights.values[i]);
  const weights = multiplyTransposed(head.alpha, missed);
  const { others: { shape: [count, width], values }, spread } = head;
  const slope = new Float64Array(width);
  for (let j = 0; j < count; j++) {
    const linear = head.kernel === "linear";
    const pull = linear ? weights[j] / (spread / 2) : (weights[j] * compared.likeness[j]) / (head.width * spread);
    for (let i = 0; i < width; i++) {
      slope[i] += head.factor * pull * (values[j * width + i] - (linear ? 0 : compared.centred[i]));
    }
  }
  return slope;
}
