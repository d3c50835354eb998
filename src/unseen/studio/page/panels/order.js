// Which pictures the grid shows, in which order: those that could be of the chosen class first.

import { UNSURE } from "./filters.js";

// A picture could be of a class from this share on.
const COULD_BE = 0.05;

const KEEPS = {
  all: () => true,
  sure: (app, i) => app.answers.confidence(i) >= UNSURE,
  unsure: (app, i) => app.answers.confidence(i) < UNSURE,
  changed: (app, i) => app.now[i] !== app.before[i],
};

/** Return sections of pictures: {title, note, pictures}. */
export function findSections(app) {
  const { filter, only, chosen } = app.view;
  const keep = KEEPS[filter] ?? ((_, i) => app.judge(i) === filter);
  const kept = [];
  for (let i = 0; i < app.count; i++) if (keep(app, i) && (only === null || app.now[i] === only)) kept.push(i);
  if (chosen === null || app.placeOf(chosen) < 0) return [{ title: "", note: "", pictures: kept }];
  const shares = new Map(kept.map((i) => [i, Math.max(app.share(i, chosen), app.shareBefore(i, chosen) ?? 0)]));
  const could = kept.filter((i) => shares.get(i) >= COULD_BE).sort((one, other) => shares.get(other) - shares.get(one));
  const rest = kept.filter((i) => shares.get(i) < COULD_BE);
  return [
    { title: `Could be ${app.classOf(chosen).name}`, note: "its share below each", pictures: could, isOfClass: true },
    { title: "The rest", note: "", pictures: rest },
  ].filter(({ pictures }) => pictures.length);
}
