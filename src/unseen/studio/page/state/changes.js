// What a person can change: pure functions from one document to the next.
//
// A document is {classes, active, level, marks, trusted}: all classes ever known, {label, name, seen, vector, start, isNew};
// which of them are candidates, in order; the level of "none of these"; what was said of pictures, {label} or {not}; and
// whether the truth that came with the pictures counts.

/** Return the document with other values of one class. */
export function setVector(document, id, vector) {
  const classes = document.classes.slice();
  classes[id] = { ...classes[id], vector };
  return { ...document, classes };
}

export function addClass(document, label, name, vector) {
  const added = { label, name, seen: false, vector, start: vector, isNew: true };
  return {
    ...document,
    classes: [...document.classes, added],
    active: [...document.active, document.classes.length],
  };
}

export function setActive(document, active) {
  return { ...document, active: [...active].sort((one, other) => one - other) };
}

export function setLevel(document, level) {
  return { ...document, level };
}

/** Say of a picture that it is of a class ({label}), or not of one ({not}); null takes it back. */
export function setMark(document, picture, mark) {
  const marks = { ...document.marks };
  if (mark) marks[picture] = mark;
  else delete marks[picture];
  return { ...document, marks };
}

export function setTrusted(document, trusted) {
  return { ...document, trusted };
}

/** Return a description with another value of one attribute; shares of the same whole make room, from those of `base`. */
export function changeValue(base, at, value, attributes) {
  const vector = base.slice();
  vector[at] = value;
  const balance = attributes.balanceOf(at);
  if (!balance) return vector;
  const { members, total } = balance;
  const others = members.filter((member) => member !== at);
  const before = others.reduce((sum, member) => sum + base[member], 0);
  vector[at] = Math.min(value, total);
  const rest = total - vector[at];
  for (const member of others) vector[member] = before > 0 ? (base[member] * rest) / before : rest / others.length;
  return vector;
}

/** Return a description with another mean over a family of attributes; each goes the same share of its way. */
export function changeFamily(base, members, mean, attributes) {
  const before = meanOf(base, members);
  let vector = base;
  for (const at of members) {
    const [low, high] = attributes.ranges[at];
    const end = mean >= before ? high : low;
    const endOfMean = members.reduce((sum, member) => sum + attributes.ranges[member][mean >= before ? 1 : 0], 0) / members.length;
    const share = endOfMean === before ? 0 : (mean - before) / (endOfMean - before);
    vector = changeValue(vector, at, base[at] + share * (end - base[at]), attributes);
  }
  return vector;
}

export function meanOf(vector, members) {
  return members.reduce((sum, at) => sum + vector[at], 0) / members.length;
}
