// Let marked pictures refine the model, which a server does, and show what that changed.

import { count } from "../words/names.js";
import { decodeAnswer } from "../start/payload.js";
import { h, say, show } from "../controls/dom.js";
import { makeDialog } from "../controls/dialog.js";
import { Scorer } from "../numbers/scorer.js";

export function mountRefining(root, app, server) {
  if (!server.has("refine") || !app.canEdit) return;
  const button = h("button.button", { type: "button" });
  root.append(button);
  const told = h("div");
  const { open } = makeDialog("Refined by your marks", told);
  const list = () => Object.entries(app.document.marks).flatMap(([row, { label }]) => (label === undefined ? [] : [{ row: Number(row), label }]));
  button.addEventListener("click", async () => {
    const marks = list();
    const before = { ...app.counts };
    told.replaceChildren(h("p", {}, `Learning from ${count(marks.length, "picture")}…`));
    open();
    try {
      const edited = app.document.classes.filter((one) => one.vector !== one.start || one.isNew);
      const classes = edited.map(({ label, vector }) => ({ label, description: [...vector] }));
      const answer = decodeAnswer(await server.ask("refine", { marks, classes, added: app.keys }));
      replaceModel(app, answer.model);
      told.replaceChildren(...tellRefined(app, before, answer));
    } catch (error) {
      told.replaceChildren(h("p", {}, error.message));
    }
  });
  const update = () => {
    const marks = list();
    show(button, marks.length > 0);
    say(button, `Refine by ${count(marks.length, "mark")}`);
  };
  app.listen(update);
  update();
}

/** Go on with another model: same classes and pictures, other scores. */
export function replaceModel(app, model) {
  app.payload.temperature = model.temperature;
  app.payload.penalty = model.penalty;
  app.seen = new Set(model.seen);
  const before = app.before;
  app.scorer = new Scorer(model.terms, app.count);
  app.refined = true;
  app.rebase();
  // Changes are still told since the very start.
  app.before = before;
  app.follow();
  app.tell("travelled");
}

function tellRefined(app, before, { how, before: measured, after }) {
  const rows = [
    ["right", before.right, app.counts.right],
    ["wrong", before.wrong, app.counts.wrong],
    ["none of these", before.none, app.counts.none],
  ];
  const body = rows.map(([name, then, now]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, String(then)), h("td", {}, String(now))));
  const unmarked = measured && after && after.of ? `Of ${count(after.of, "picture")} that were not marked, ${measured.right} were right before and ${after.right} are now.` : "";
  return [
    h("p", {}, how),
    h("table.before-after", {}, h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, "before"), h("th", { scope: "col" }, "after"))), h("tbody", {}, ...body)),
    h("p.quiet", {}, unmarked || "Marked pictures were learned from, so they say nothing about how well others are recognised."),
  ];
}
