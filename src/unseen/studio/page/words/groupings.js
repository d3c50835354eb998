// Ways to put classes into groups: seen or not, a file of the user, a part of their descriptions, the last word of names.

import { capitalise } from "./names.js";

// A part divides classes if its largest value has at least this share of the whole in nearly all of them.
const CLEAR = 0.5;
const MOST_CLASSES = 0.9;

/** Return the groupings of classes: {name, groupOf(class)}. */
export function findGroupings(classes, attributes, given) {
  const found = Object.entries(given).map(([name, groups]) => ({ name, groupOf: ({ label }) => groups[label] ?? "other" }));
  for (const [part, members] of attributes.parts) {
    const balance = attributes.balanceOf(members[0]);
    if (balance && divides(classes, members, balance.total)) {
      found.push({ name: capitalise(part), groupOf: ({ vector }) => attributes.list[findLargest(vector, members)].value });
    }
  }
  if (endsAlike(classes)) found.push({ name: "Last word of the name", groupOf: ({ name }) => lastWord(name) });
  if (classes.some(({ seen }) => seen) && classes.some(({ seen }) => !seen)) {
    found.push({ name: "Seen in training", groupOf: ({ seen }) => (seen ? "seen" : "unseen") });
  }
  return found;
}

function findLargest(vector, members) {
  return members.reduce((best, at) => (vector[at] > vector[best] ? at : best), members[0]);
}

function divides(classes, members, total) {
  const clear = classes.filter(({ vector }) => vector[findLargest(vector, members)] >= CLEAR * total);
  return clear.length >= MOST_CLASSES * classes.length;
}

function lastWord(name) {
  return name.split(" ").at(-1);
}

function endsAlike(classes) {
  const several = classes.filter(({ name }) => name.includes(" "));
  const words = several.map(({ name }) => lastWord(name));
  const shared = words.filter((word, at) => words.indexOf(word) !== at || words.lastIndexOf(word) !== at);
  return shared.length > classes.length / 2;
}
