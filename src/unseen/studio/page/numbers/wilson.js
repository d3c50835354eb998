// The interval of a share that was counted.

const Z = 1.959963984540054;

/** Return the 95% Wilson interval [low, high] of `right` out of `count`. */
export function wilson(right, count) {
  if (!count) return [0, 1];
  const share = right / count;
  const middle = (share + (Z * Z) / (2 * count)) / (1 + (Z * Z) / count);
  const reach = (Z / (1 + (Z * Z) / count)) * Math.sqrt((share * (1 - share)) / count + (Z * Z) / (4 * count * count));
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
}
