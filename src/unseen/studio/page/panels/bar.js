// The bar at the top: what is open, how many answers are right, and the ways back and out.

import { brand, icon } from "../controls/icons.js";
import { h, mark, say, show, style } from "../controls/dom.js";
import { count } from "../words/names.js";
import { wilson } from "../numbers/wilson.js";

export function mountBar(root, app, { openCandidates, openTakeAway, openHelp, toggleTheme }) {
  const { payload } = app;
  const what = h("p.what");
  const delta = h("span.delta", { hidden: true });
  const big = h("strong.big");
  const detail = h("span.detail");
  const tally = h("div.tally", { "aria-hidden": "true" }, h("i.right"), h("i.wrong"), h("i.none"), h("i.open"));
  const numbers = h("p.numbers");
  const score = h("div.score", { role: "status", "aria-label": "How many answers are right" },
    delta, h("p.headline", {}, big, " ", detail), h("div.tally-box", {}, tally, numbers));
  const undo = h("button.icon-button", { type: "button", "aria-label": "Undo", title: "Undo (Ctrl Z)", onclick: () => app.undo() }, icon("undo"));
  const redo = h("button.icon-button", { type: "button", "aria-label": "Redo", title: "Redo (Ctrl Shift Z)", onclick: () => app.redo() }, icon("redo"));
  const candidates = h("button.text-button.candidates", { type: "button", onclick: openCandidates });
  root.append(
    h("h1.brand", {}, brand(), h("span", {}, h("b", {}, "unseen"), " studio")),
    what,
    score,
    h("div.tools", { role: "toolbar", "aria-label": "Tools" },
      undo, redo, candidates,
      h("button.text-button.take-away", { type: "button", onclick: openTakeAway }, "Take away"),
      h("button.icon-button.theme", { type: "button", "aria-label": "Light or dark", title: "Light or dark (D)", onclick: toggleTheme }, icon("theme")),
      h("button.icon-button", { type: "button", "aria-label": "Keys and help", title: "Keys and help (?)", onclick: openHelp }, icon("help"))),
  );

  const update = () => {
    const { right, wrong, none, open, rightBefore, wrongBefore } = app.counts;
    const noun = app.rows.pictures ? "picture" : "row";
    const source = payload.title === payload.model ? payload.data : payload.title;
    say(what, [source, payload.model, count(app.count, noun)].filter(Boolean).join(" · "));
    const judged = right + wrong;
    const [low, high] = wilson(right, judged);
    say(big, judged ? `${formatShare(right / judged)}%` : "–");
    const noted = open ? "marked" : "answered";
    const range = `${Math.round(100 * low)}–${Math.round(100 * high)}`;
    say(detail, judged ? `right of ${judged.toLocaleString("en")} ${noted} · ${range}` : "right: mark pictures to see");
    detail.title = judged ? "95% Wilson interval" : "";
    const total = Math.max(1, app.count);
    [right, wrong, none, open].forEach((part, at) => style(tally.children[at], "--share", part / total));
    say(numbers, [`✓ ${right}`, `✕ ${wrong}`, none ? `– ${none} none` : "", open ? `${open} to go` : ""].filter(Boolean).join("  "));
    const before = rightBefore + wrongBefore;
    const moved = judged && before ? 100 * (right / judged - rightBefore / before) : 0;
    const changed = Math.abs(moved) >= 0.05;
    show(delta, changed);
    say(delta, `${moved > 0 ? "▲ +" : "▼ −"}${Math.abs(moved).toFixed(1)}`);
    delta.title = "Points since the start. Answers were edited for these pictures, so this is fitted to them.";
    mark(delta, "down", moved < 0);
    undo.disabled = !app.history.past.length;
    redo.disabled = !app.history.future.length;
    const { length } = app.document.active;
    candidates.replaceChildren(h("b", {}, String(length)), h("span.long", {}, length === 1 ? " candidate" : " candidates"));
    candidates.setAttribute("aria-label", `${count(length, "candidate")}: choose them`);
  };
  app.listen((news) => news.has("document") || news.has("travelled") || news.has("pictures") ? update() : null);
  update();
}

function formatShare(share) {
  const value = 100 * share;
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
