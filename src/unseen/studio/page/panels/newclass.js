// Describe a new class: copy one, paste a row of a spreadsheet, start from the average, or write a text.

import { addClass } from "../state/changes.js";
import { Answers } from "../numbers/answers.js";
import { h, say, set, show } from "../controls/dom.js";
import { makeChooser } from "../controls/chooser.js";
import { makeThumbs } from "../controls/thumbs.js";
import { count, percent } from "../words/names.js";
import { readPasted } from "../words/pasted.js";

const WAYS = [["copy", "Copy a class"], ["paste", "Paste a row"], ["average", "Average"], ["text", "Text"]];

export function makeNewClass(app, server) {
  const name = h("input", { type: "text", id: "new-name", autocomplete: "off" });
  const ways = h("div.segments", { role: "group", "aria-label": "Start from" });
  const state = { way: "copy", from: null, vector: null, note: "" };
  const from = makeChooser({
    label: "Copy from",
    empty: "Choose a class",
    list: () => app.document.classes.map((one, id) => ({ value: id, text: one.name, note: app.placeOf(id) < 0 ? "not a candidate" : "" })),
    onChoose: (id) => ((state.from = id), refresh()),
  });
  const pasted = h("textarea", { rows: 5, placeholder: "A row of values, or a heading row and a row below it", "aria-label": "Row of a spreadsheet" });
  const text = h("textarea", { rows: 4, placeholder: "a small grey bird with a short bill", "aria-label": "Description of the class in words" });
  const ask = h("button.button", { type: "button" }, "Describe");
  const boxes = {
    copy: h("div", {}, h("p.field-label", {}, "Copy from"), from.root),
    paste: h("div", {}, pasted),
    average: h("p.quiet", {}, "Every attribute has its average over all classes."),
    text: h("div", {}, text, ask),
  };
  const told = h("p.preview-text", { role: "status" });
  const thumbs = makeThumbs(app, 12);
  const preview = h("div.preview", {}, told, thumbs.root);
  const add = h("button.button.primary", { type: "button" }, "Add class");
  const root = h("div.creating", { hidden: true },
    h("div.panel-head", {}, h("h2", {}, "New class"), h("button.link", { type: "button", onclick: () => app.look({ panel: app.view.chosen === null ? "start" : "edit" }) }, "Cancel")),
    h("label.field-label", { for: "new-name" }, "Name"), name, ways, ...Object.values(boxes), preview, add);
  for (const [way, title] of WAYS) {
    if (way !== "text" || server.has("text")) {
      ways.append(h("button", { type: "button", "data-way": way, onclick: () => ((state.way = way), refresh()) }, title));
    }
  }

  const refresh = () => {
    for (const button of ways.children) set(button, { "aria-pressed": String(button.dataset.way === state.way) });
    for (const [way, box] of Object.entries(boxes)) show(box, way === state.way);
    from.say(state.from === null ? null : app.classOf(state.from).name);
    [state.vector, state.note] = findVector();
    const label = name.value.trim();
    const taken = app.document.classes.some((one) => one.label === label || one.name === label);
    add.disabled = !label || taken || !state.vector;
    tellPreview(label && taken ? "There is a class of this name: give it another one." : state.note);
  };
  const findVector = () => {
    const { classes } = app.document;
    if (state.way === "copy") return [state.from === null ? null : classes[state.from].vector.slice(), ""];
    if (state.way === "average") return [Float64Array.from(app.attributes.averages), ""];
    if (state.way === "text") return [state.written ?? null, state.written ? "" : "Write what the class looks like."];
    return readPasted(pasted.value, app.payload.attributes, app.attributes);
  };
  const tellPreview = (note) => {
    if (!state.vector) {
      say(told, note || "Choose where to start from.");
      thumbs.show([]);
      return;
    }
    if (!app.canCompute) {
      say(told, note || "Add it to see what it answers.");
      return;
    }
    const { pictures, share } = findAnswered(app, state.vector);
    const right = pictures.filter((i) => app.judge(i) === "right").length;
    const parts = [`Would answer ${count(pictures.length, app.rows.pictures ? "picture" : "row")}`];
    if (right) parts.push(`${right} of them ${right === 1 ? "has" : "have"} the right answer now`);
    if (app.count) parts.push(`its share of the chosen one would be ${percent(share)}`);
    const copied = state.way === "copy" && app.placeOf(state.from) >= 0;
    const more = copied ? "It is described like a candidate, so it will differ from it once you edit it." : note;
    say(told, `${parts.join("; ")}.${more ? ` ${more}` : ""}`);
    thumbs.show(pictures);
  };
  name.addEventListener("input", refresh);
  pasted.addEventListener("input", refresh);
  ask.addEventListener("click", async () => {
    say(told, "Asking the server…");
    try {
      const { description } = await server.ask("text", { text: text.value });
      state.written = Float64Array.from(description);
      refresh();
    } catch (error) {
      say(told, error.message);
    }
  });
  add.addEventListener("click", () => {
    const label = name.value.trim();
    const id = app.document.classes.length;
    app.change(addClass(app.document, label, label, state.vector));
    app.settle();
    name.value = pasted.value = "";
    app.chooseClass(id, { andPicture: true });
  });
  let wasHidden = true;
  return {
    root,
    update: () => {
      if (wasHidden) {
        state.from = app.view.chosen ?? app.now[app.view.picture];
        if (state.from < 0) state.from = app.document.active[0];
        name.focus();
      }
      wasHidden = root.hidden;
      refresh();
      requestAnimationFrame(() => (wasHidden = root.hidden));
    },
  };
}

/** Return the pictures that a class would answer if it were a candidate too, the surest first, and its share of the chosen one. */
function findAnswered(app, vector) {
  const { document: state } = app;
  const at = state.active.length;
  const columns = [...app.answers.columns, app.scorer.column(vector)];
  const answers = new Answers(columns, [...app.answers.offsets, 0], app.payload.temperature);
  const pictures = [];
  for (let i = 0; i < app.count; i++) {
    if (answers.best[i] === at && answers.confidence(i) >= state.level) pictures.push(i);
  }
  pictures.sort((one, other) => answers.share(other, at) - answers.share(one, at));
  return { pictures, share: app.count ? answers.share(app.view.picture, at) : 0 };
}
