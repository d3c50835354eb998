// The operations of which preparations consist, on one row of numbers, and their gradients.
// unseen/studio/steps.py writes them.

const OPERATIONS = {
  shift: {
    apply: (x, { by }) => x.map((value, i) => value - by.values[i]),
    pullBack: (x, op, g) => g,
  },
  scale: {
    apply: (x, { by }) => x.map((value, i) => value * by.values[i]),
    pullBack: (x, { by }, g) => g.map((value, i) => value * by.values[i]),
  },
  matrix: {
    apply: (x, { by }) => multiply(x, by),
    pullBack: (x, { by }, g) => multiplyTransposed(by, g),
  },
  unit: { apply: normalise, pullBack: pullBackNorm },
  root: {
    apply: (x) => x.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value))),
    // The slope at 0 is infinite; that of a small value stands for it.
    pullBack: (x, op, g) => g.map((value, i) => value / (2 * Math.sqrt(Math.max(Math.abs(x[i]), 1e-12)))),
  },
  logit: { apply: takeLogits, pullBack: pullBackLogits },
  rbf: { apply: compare, pullBack: pullBackComparison },
  constant: {
    apply: (x) => Float64Array.from([...x, 1]),
    pullBack: (x, op, g) => g.slice(0, -1),
  },
};

/** Apply operations to a row; `trace`, if given, receives the input of each. */
export function applyOperations(operations, row, trace = null) {
  let x = Float64Array.from(row);
  for (const operation of operations) {
    if (trace) trace.push(x);
    x = OPERATIONS[operation.op].apply(x, operation);
  }
  return x;
}

/** Take a gradient by the result back to one by the row, given the trace of `applyOperations`. */
export function pullBackOperations(operations, trace, gradient) {
  let g = gradient;
  for (let at = operations.length - 1; at >= 0; at--) {
    g = OPERATIONS[operations[at].op].pullBack(trace[at], operations[at], g);
  }
  return g;
}

/** Row vector times matrix. */
export function multiply(x, { shape: [rows, columns], values }) {
  const out = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    const factor = x[i];
    if (factor === 0) continue;
    const start = i * columns;
    for (let j = 0; j < columns; j++) out[j] += factor * values[start + j];
  }
  return out;
}

/** Matrix times column vector. */
export function multiplyTransposed({ shape: [rows, columns], values }, g) {
  const out = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    const start = i * columns;
    for (let j = 0; j < columns; j++) sum += values[start + j] * g[j];
    out[i] = sum;
  }
  return out;
}

function measure(x, norm) {
  if (norm === "max") return x.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  if (norm === "l1") return x.reduce((sum, value) => sum + Math.abs(value), 0);
  return Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
}

function normalise(x, { norm, smallest }) {
  const length = measure(x, norm);
  return length > smallest ? x.map((value) => value / length) : x;
}

function pullBackNorm(x, { norm, smallest }, g) {
  const length = measure(x, norm);
  if (!(length > smallest)) return g;
  // d(x / |x|) = (dx - x d|x| / |x|) / |x|
  const along = g.reduce((sum, value, i) => sum + value * x[i], 0) / (length * length);
  const slope = slopeOfNorm(x, norm, length);
  return g.map((value, i) => value / length - along * slope[i]);
}

function slopeOfNorm(x, norm, length) {
  if (norm === "l1") return x.map(Math.sign);
  if (norm === "l2") return x.map((value) => value / length);
  const at = x.findIndex((value) => Math.abs(value) === length);
  return x.map((value, i) => (i === at ? Math.sign(value) : 0));
}

function takeLogits(x, { offset, whole }) {
  return x.map((value) => {
    const share = Math.min(1, Math.max(0, value / whole));
    return Math.log(share + offset) - Math.log(1 + offset - share);
  });
}

function pullBackLogits(x, { offset, whole }, g) {
  return g.map((value, i) => {
    const share = x[i] / whole;
    if (share < 0 || share > 1) return 0;
    return (value / whole) * (1 / (share + offset) + 1 / (1 + offset - share));
  });
}

function compare(x, { landmarks: { shape: [count, width], values }, variance }) {
  const out = new Float64Array(count);
  for (let j = 0; j < count; j++) {
    let distance = 0;
    for (let i = 0; i < width; i++) distance += (x[i] - values[j * width + i]) ** 2;
    out[j] = Math.exp(-distance / (2 * variance));
  }
  return out;
}

function pullBackComparison(x, operation, g) {
  const { landmarks: { shape: [count, width], values }, variance } = operation;
  const likeness = compare(x, operation);
  const out = new Float64Array(width);
  for (let j = 0; j < count; j++) {
    const slope = (g[j] * likeness[j]) / variance;
    for (let i = 0; i < width; i++) out[i] += slope * (values[j * width + i] - x[i]);
  }
  return out;
}
