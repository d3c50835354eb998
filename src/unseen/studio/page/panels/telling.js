// The order of sliders by how much they matter, and the question whose answer would help most.

import { capitalise, count } from "../words/names.js";
import { findDependent, measureInfluence, measureSpreads } from "../numbers/influence.js";
import { h } from "../controls/dom.js";
import { UNSURE } from "./filters.js";

/** Return what sliders show, most telling first: {members, part, value, range, average, influence}. */
export function orderAttributes(app, id, family, pictures = findDependent(app.answers, app.placeOf(id))) {
  const { attributes } = app;
  const spreads = measureSpreads(app.document.classes.map(({ vector }) => vector));
  const influence = app.canCompute ? measure(app, id, pictures, spreads) : measureDifference(app, id, spreads);
  const list = family ? attributes.families.map((one) => describeFamily(one, attributes)) : attributes.list.map((one) => describeOne(one, attributes));
  for (const item of list) {
    item.influence = item.members.reduce((sum, at) => sum + influence[at], 0);
    item.average = item.members.reduce((sum, at) => sum + attributes.averages[at], 0) / item.members.length;
  }
  return list.sort((one, other) => other.influence - one.influence);
}

function measure(app, id, pictures, spreads) {
  return measureInfluence(app.scorer, app.classOf(id).vector, pictures, spreads, app.payload.temperature);
}

/** Without gradients: what sets the class apart from the others comes first. */
function measureDifference(app, id, spreads) {
  const { vector } = app.classOf(id);
  return vector.map((value, at) => (spreads[at] ? Math.abs(value - app.attributes.averages[at]) / spreads[at] : 0));
}

function describeOne({ at, part, value }, attributes) {
  return { members: [at], part, value, range: attributes.ranges[at] };
}

function describeFamily({ kind, value, members, parts }, attributes) {
  const where = parts.length > 3 ? `${parts.length} parts` : parts.join(" and ");
  const range = [0, 1].map((end) => members.reduce((sum, at) => sum + attributes.ranges[at][end], 0) / members.length);
  return { members, part: capitalise(kind ? `${kind} on ${where}` : where), value, range };
}

/** Which attribute of the class to look up first: its value matters most for the pictures that are unsure. */
export function tellQuestion(app, id) {
  const unsure = findDependent(app.answers, app.placeOf(id)).filter(([i]) => app.answers.confidence(i) < UNSURE);
  if (!unsure.length || !app.canCompute) return [];
  const [first] = orderAttributes(app, id, false, unsure);
  const { part, value } = first;
  return [
    "Look up first: ",
    h("b", {}, part ? `${part}: ${value}` : value),
    ` of ${app.classOf(id).name}. It matters most for ${count(unsure.length, "unsure picture")}.`,
  ];
}
