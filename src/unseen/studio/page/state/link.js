// The state of the page as the last part of its address, so that a link shows what its sender saw.

import { addClass, setActive, setVector } from "./changes.js";

/** Write what differs from the start, and what is looked at. */
export function writeLink(document, start, view) {
  const state = {
    p: view.picture,
    c: view.chosen === null ? null : document.classes[view.chosen].label,
    e: document.classes.flatMap((one) => (one.vector === one.start ? [] : [[one.label, listChanges(one.vector, one.start)]])),
    n: document.classes.flatMap((one) => (one.isNew ? [[one.label, ...describeByNearest(one, start.classes)]] : [])),
    a: sameList(document.active, start.active) ? null : document.active,
    l: document.level === start.level ? null : document.level,
    m: document.marks,
    t: document.trusted ? null : 0,
  };
  const isSaid = (value) => value !== null && (typeof value !== "object" || Object.keys(value).length > 0);
  return encode(JSON.stringify(Object.fromEntries(Object.entries(state).filter(([, value]) => isSaid(value)))));
}

/** Return {document, picture, chosen} of such a text, or null if it is not one of this page. */
export function readLink(text, start) {
  let state;
  try {
    state = JSON.parse(decode(text));
  } catch {
    return null;
  }
  let document = start;
  for (const [label, base, changes] of state.n ?? []) {
    const nearest = start.classes.find((one) => one.label === base);
    if (nearest) document = addClass(document, label, label, applyChanges(nearest.vector, changes));
  }
  const find = (label) => document.classes.findIndex((one) => one.label === label);
  for (const [label, changes] of state.e ?? []) {
    const id = find(label);
    if (id >= 0) document = setVector(document, id, applyChanges(document.classes[id].start, changes));
  }
  if (state.a) document = setActive(document, state.a.filter((id) => id < document.classes.length));
  if (typeof state.l === "number") document = { ...document, level: state.l };
  if (state.m) document = { ...document, marks: state.m };
  if (state.t === 0) document = { ...document, trusted: false };
  const chosen = state.c === undefined ? -1 : find(state.c);
  return { document, picture: state.p ?? 0, chosen: chosen < 0 ? null : chosen };
}

function sameList(one, other) {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

function listChanges(vector, start) {
  const changes = [];
  vector.forEach((value, at) => {
    if (value !== start[at]) changes.push(at, Number(value.toPrecision(8)));
  });
  return changes;
}

function applyChanges(start, changes) {
  const vector = start.slice();
  for (let i = 0; i < changes.length; i += 2) vector[changes[i]] = changes[i + 1];
  return vector;
}

function describeByNearest({ start: vector }, classes) {
  const [nearest] = classes
    .map((one) => [one, listChanges(vector, one.start)])
    .sort((one, other) => one[1].length - other[1].length);
  return [nearest[0].label, nearest[1]];
}

function encode(text) {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
}
