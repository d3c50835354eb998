// Which pictures are shown, and what changed since the start.

import { fillList, h, say, set, show } from "../controls/dom.js";
import { makeChooser } from "../controls/chooser.js";
import { setTrusted } from "../state/changes.js";
import { count } from "../words/names.js";

// An answer is unsure below this share.
export const UNSURE = 0.5;

const FILTERS = [
  ["all", "All", (app) => app.count],
  ["right", "Right", (app) => app.counts.right],
  ["wrong", "Wrong", (app) => app.counts.wrong],
  ["sure", "Sure", (app) => app.count - countUnsure(app)],
  ["unsure", "Unsure", (app) => countUnsure(app)],
  ["none", "None", (app) => app.counts.none],
  ["open", "Not marked", (app) => app.counts.open],
  ["changed", "Changed", (app) => app.counts.changed],
];

export function mountFilters(root, status, app) {
  const buttons = h("div.segments", { role: "group", "aria-label": "Show pictures" });
  const classes = makeChooser({
    label: "Show answers of one class",
    empty: "All classes",
    list: () => [
      { value: null, text: "All classes" },
      ...countByClass(app).map(([id, number]) => ({ value: id, text: app.classOf(id).name, note: String(number) })),
    ],
    onChoose: (only) => app.look({ only }),
  });
  const trust = h("input", { type: "checkbox", role: "switch", id: "trusted" });
  trust.addEventListener("change", () => {
    app.change(setTrusted(app.document, trust.checked));
    app.settle();
  });
  const trusting = h("label.switch", { for: "trusted" }, trust, h("i"), h("span", {}, "The data know the truth"));
  root.append(buttons, classes.root, trusting);
  show(trusting, app.hasTruth);
  const message = h("p.changes");
  status.append(message);

  const update = () => {
    const shown = FILTERS.filter(([name]) => name !== "open" || app.counts.open);
    fillList(buttons, shown.length, () => h("button", { type: "button", onclick: ({ currentTarget }) => app.look({ filter: currentTarget.dataset.name }) }, h("span"), " ", h("b")), (button, at) => {
      const [name, text, number] = shown[at];
      button.dataset.name = name;
      say(button.children[0], text);
      say(button.children[1], number(app).toLocaleString("en"));
      set(button, { "aria-pressed": String(app.view.filter === name) });
    });
    classes.say(app.view.only === null ? null : app.classOf(app.view.only).name);
    trust.checked = app.document.trusted;
    tellChanges(message, app);
  };
  app.listen(update);
  update();
}

function countUnsure(app) {
  let number = 0;
  for (let i = 0; i < app.count; i++) if (app.answers.confidence(i) < UNSURE) number++;
  return number;
}

/** Return [id, number of answers] of the classes that answer, the most frequent first. */
export function countByClass(app) {
  const counts = new Map();
  for (const id of app.now) if (id >= 0) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]);
}

/** Say what changed; if no answer did, how far shares moved. */
function tellChanges(message, app) {
  const { changed, better, worse } = app.counts;
  const edited = app.isEdited;
  const parts = [];
  if (!edited) parts.push(app.canEdit ? "Move a slider and every answer follows." : "");
  else if (!changed) parts.push(h("b", {}, "No answer changed"), tellShares(app));
  else {
    parts.push(h("b", {}, `${count(changed, "answer")} changed`));
    if (better) parts.push(h("span.is-right", {}, `✓ ${better} now right`));
    if (worse) parts.push(h("span.is-wrong", {}, `✕ ${worse} no longer right`));
    const neither = changed - better - worse;
    if (neither && (better || worse)) parts.push(`${neither} no better, no worse`);
  }
  if (app.trouble) parts.push(h("span.is-wrong", {}, app.trouble));
  const spaced = parts.filter(Boolean).flatMap((item, at) => (at ? [" · ", item] : [item]));
  if (edited) {
    if (changed) spaced.push(" ", h("button.link", { type: "button", onclick: () => app.look({ filter: "changed" }) }, "Show them"));
    spaced.push(" ", h("button.link", { type: "button", onclick: () => app.restart() }, "Back to the start"));
    if (changed && app.counts.right + app.counts.wrong) {
      spaced.push(h("span.fitted", {}, "Edited while looking at these pictures, so fitted to them: measure on others."));
    }
  }
  message.replaceChildren(...spaced);
}

function tellShares(app) {
  const { chosen } = app.view;
  if (chosen === null || app.placeOf(chosen) < 0) return "";
  let most = 0;
  for (let i = 0; i < app.count; i++) {
    const before = app.shareBefore(i, chosen);
    if (before !== null) most = Math.max(most, Math.abs(app.share(i, chosen) - before));
  }
  const points = 100 * most;
  if (points < 0.05) return "shares hardly moved";
  return `shares of ${app.classOf(chosen).name} moved by up to ${points < 1 ? points.toFixed(1) : Math.round(points)} points`;
}
