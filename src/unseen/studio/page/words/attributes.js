// What the names and values of attributes tell: parts with several values, values that many parts have, units.

import { capitalise, readAttribute } from "./names.js";

// Sums of a part may differ by so much of their size, by rounding, and count as one.
const ROUNDING = 0.005;

/** The attributes of a table of descriptions. */
export class Attributes {
  constructor(names, vectors) {
    const read = names.map(readAttribute);
    this.parts = groupBy(read, ({ part }) => part);
    this.list = read.map(({ part, value }, at) => {
      const isPart = part !== "" && this.parts.get(part).length > 1;
      return { at, name: names[at], part: isPart ? capitalise(part) : "", value: isPart || !part ? value : `${part} ${value}` };
    });
    this.totals = findTotals(this.parts, vectors);
    this.units = findUnits(vectors);
    this.ranges = names.map((_, at) => findRange(vectors, at, this.units));
    this.averages = names.map((_, at) => vectors.reduce((sum, vector) => sum + vector[at], 0) / vectors.length);
    this.families = findFamilies(read, this.parts);
  }

  /** Return the attributes that share a sum with this one, and the sum, or null. */
  balanceOf(at) {
    return this.totals.get(at) ?? null;
  }

  /** Write a value in the units of the table. */
  format(value) {
    if (this.units === "share") return `${Math.round(100 * value)}`;
    const range = Math.max(...this.ranges.map(([low, high]) => high - low));
    return range >= 20 ? value.toFixed(0) : range >= 2 ? value.toFixed(1) : value.toFixed(3);
  }

  /** The factor from a value to what is typed and read. */
  get scale() {
    return this.units === "share" ? 100 : 1;
  }

  get unit() {
    return this.units === "share" ? "%" : "";
  }
}

function groupBy(items, key) {
  const groups = new Map();
  items.forEach((item, at) => {
    const name = key(item);
    groups.set(name, [...(groups.get(name) ?? []), at]);
  });
  return groups;
}

/** Find the parts whose values sum to the same in every class: those are shares of one whole. */
function findTotals(parts, vectors) {
  const totals = new Map();
  for (const [part, members] of parts) {
    if (!part || members.length < 2) continue;
    const sums = vectors.map((vector) => members.reduce((sum, at) => sum + vector[at], 0));
    const total = sums.reduce((sum, value) => sum + value, 0) / sums.length;
    const isShares = vectors.every((vector) => members.every((at) => vector[at] >= 0));
    if (total > 0 && isShares && sums.every((sum) => Math.abs(sum - total) <= ROUNDING * total)) {
      members.forEach((at) => totals.set(at, { members, total }));
    }
  }
  return totals;
}

function findUnits(vectors) {
  const isShare = vectors.every((vector) => vector.every((value) => value >= 0 && value <= 1));
  return isShare ? "share" : "number";
}

function findRange(vectors, at, units) {
  if (units === "share") return [0, 1];
  const values = vectors.map((vector) => vector[at]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high > low ? [low, high] : [low - 1, high + 1];
}

/** Find values that several parts have, such as grey for the colours of bill, wing and tail. */
function findFamilies(read, parts) {
  const families = new Map();
  read.forEach(({ part, value }, at) => {
    if (!part || parts.get(part).length < 2) return;
    const words = part.split(" ");
    const kind = words.length > 1 ? words.at(-1) : "";
    const key = `${kind}\n${value}`;
    const family = families.get(key) ?? { kind, value, members: [], parts: [] };
    family.members.push(at);
    family.parts.push(part);
    families.set(key, family);
  });
  return [...families.values()].filter(({ members }) => members.length > 1);
}
