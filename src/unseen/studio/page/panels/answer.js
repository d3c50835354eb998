// The ranked classes of the chosen picture, and the level below which the answer is "none of these".

import { fillList, h, mark, part, say, show, style } from "../controls/dom.js";
import { makeChooser } from "../controls/chooser.js";
import { percent } from "../words/names.js";
import { setLevel } from "../state/changes.js";

const ROWS = 5;

export function mountAnswer(root, app) {
  const list = h("ol.ranking", { "aria-label": "Candidates of this picture, the best first" });
  const level = h("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": "None of these below this share, in per cent" });
  const levelText = h("output.level-text");
  const honest = h("p.honest");
  const grouping = makeChooser({
    label: "Sum shares over groups",
    empty: "Each class",
    list: () => [{ value: null, text: "Each class" }, ...app.groupings.map((one) => ({ value: one, text: one.name, note: "summed" }))],
    onChoose: (value) => app.look({ grouping: value }),
  });
  level.addEventListener("input", () => {
    app.dragging = true;
    app.change(setLevel(app.document, Number(level.value) / 100), "level");
  });
  level.addEventListener("change", () => app.settle());
  root.append(
    h("div.panel-head", {}, h("h2", {}, "Answer"), app.groupings.length ? grouping.root : null),
    list,
    h("div.level", {}, h("label", {}, "“None of these” below ", levelText), level),
    honest,
  );

  const update = () => {
    if (!app.count) return;
    const { picture, grouping: groups } = app.view;
    grouping.say(groups ? groups.name : null);
    style(root, "--level", app.document.level);
    const rows = groups ? listGroups(app, picture, groups) : listClasses(app, picture);
    fillList(list, rows.length, () => makeRow(app), (element, at) => fillRow(element, rows[at], at, app));
    level.value = String(Math.round(100 * app.document.level));
    style(level, "--at", app.document.level);
    say(levelText, percent(app.document.level));
    say(honest, tellHonestly(app));
  };
  app.listen(update);
  update();
}

/** List the best candidates; the true class, the one that is edited and new ones are always among them. */
function listClasses(app, picture) {
  const ranked = app.rank(picture);
  const truth = app.truthOf(picture);
  const shown = ranked.slice(0, ROWS);
  const wanted = ranked.filter((id) => app.classOf(id).label === truth || id === app.view.chosen || app.classOf(id).isNew);
  for (const id of wanted.slice(0, 3)) {
    if (shown.includes(id)) continue;
    const spare = shown.findLastIndex((other, at) => at > 1 && !wanted.includes(other));
    if (shown.length >= ROWS && spare >= 0) shown.splice(spare, 1);
    shown.push(id);
  }
  return shown
    .map((id) => ({ id, rank: ranked.indexOf(id) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ id, rank }) => {
      const one = app.classOf(id);
      const share = app.share(picture, id);
      const before = app.shareBefore(picture, id);
      return {
        id, rank, share, name: one.name, isTrue: one.label === truth, isNew: one.isNew, isChosen: id === app.view.chosen,
        isEdited: one.vector !== one.start, moved: before === null ? 0 : share - before,
      };
    });
}

/** List groups with the sum of the shares of their classes. */
function listGroups(app, picture, { groupOf }) {
  const groups = new Map();
  for (const id of app.document.active) {
    const one = app.classOf(id);
    const name = groupOf(one);
    const group = groups.get(name) ?? { name, share: 0, best: id, members: 0, isTrue: false, moved: 0 };
    const share = app.share(picture, id);
    group.share += share;
    group.moved += share - (app.shareBefore(picture, id) ?? 0);
    group.members++;
    if (share > app.share(picture, group.best)) group.best = id;
    group.isTrue ||= one.label === app.truthOf(picture);
    groups.set(name, group);
  }
  return [...groups.values()]
    .sort((one, other) => other.share - one.share)
    .slice(0, ROWS)
    .map((group, rank) => ({ ...group, rank, id: group.best, note: `${group.members}`, isChosen: false }));
}

function makeRow(app) {
  return h("li", {},
    h("button.candidate", {
      type: "button",
      onclick: ({ currentTarget }) => app.chooseClass(Number(currentTarget.dataset.id)),
    },
    h("span.rank"), h("span.name"), h("span.tag"), h("span.moved"), h("b.share"), h("span.meter", { "aria-hidden": "true" }, h("i"))));
}

function fillRow(element, row, at, app) {
  const button = part(element, "candidate");
  button.dataset.id = row.id;
  mark(button, "first", at === 0);
  mark(button, "chosen", row.isChosen);
  mark(button, "below", at === 0 && row.share < app.document.level && !app.view.grouping);
  const rank = part(element, "rank");
  show(rank, row.rank > at);
  say(rank, `${row.rank + 1}.`);
  say(part(element, "name"), row.note ? `${row.name} (${row.note})` : row.name);
  const tags = [row.isTrue && "✓ true", row.isNew && "new", row.isEdited && !row.isNew && "edited"].filter(Boolean);
  say(part(element, "tag"), tags.join(" · "));
  mark(part(element, "tag"), "is-true", row.isTrue);
  const moved = Math.round(100 * row.moved);
  say(part(element, "moved"), moved ? `${moved > 0 ? "+" : "−"}${Math.abs(moved)}` : "");
  say(part(element, "share"), percent(row.share));
  style(part(element, "meter"), "--share", row.share);
  const name = `${row.name}, ${percent(row.share)}${row.isTrue ? ", the true class" : ""}`;
  button.setAttribute("aria-label", app.canEdit ? `${name}: edit it` : name);
}

/** What the probabilities themselves say of the answers: the mean of those given, not a promise from other data. */
function tellHonestly(app) {
  let [sum, given] = [0, 0];
  for (let i = 0; i < app.count; i++) {
    if (app.now[i] < 0) continue;
    sum += app.answers.confidence(i);
    given++;
  }
  if (!given) return "All pictures are below the level: no answer is given.";
  const sure = `By its own shares, ${Math.round((100 * sum) / given)}% of ${given.toLocaleString("en")} answers are right`;
  return app.payload.calibrated ? `${sure}.` : `${sure}; the model is not calibrated.`;
}
