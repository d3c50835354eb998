// Edit the description of a class, attribute by attribute.

import { fillList, h, mark, say, set, show } from "../controls/dom.js";
import { fillSlider, makeSlider } from "./slider.js";
import { count } from "../words/names.js";
import { makeChooser } from "../controls/chooser.js";
import { makeNewClass } from "./newclass.js";
import { makeThumbs } from "../controls/thumbs.js";
import { mountStart } from "./beginning.js";
import { orderAttributes, tellQuestion } from "./telling.js";
import { setActive, setVector } from "../state/changes.js";

const SHOWN = 24;

export function mountEditor(root, app, server) {
  const chooser = makeChooser({
    label: "Class to edit",
    empty: "Choose a class",
    list: () => app.document.active.map((id) => ({ value: id, text: app.classOf(id).name, note: app.classOf(id).isNew ? "new" : "" })),
    onChoose: (id) => app.chooseClass(id, { andPicture: true }),
  });
  const reset = h("button.link", { type: "button" }, "Reset class");
  const remove = h("button.link", { type: "button" }, "Remove");
  const fresh = h("button.button", { type: "button", onclick: () => app.look({ panel: "new" }) }, "New class");
  const tally = h("p.class-tally");
  const thumbs = makeThumbs(app, 6);
  const search = h("input.search", { type: "search", placeholder: "Find an attribute", "aria-label": "Find an attribute" });
  const each = h("button", { type: "button", onclick: () => app.look({ family: false }) }, "Each part");
  const all = h("button", { type: "button", onclick: () => app.look({ family: true }) }, "All parts");
  const modes = h("div.segments", { role: "group", "aria-label": "Sliders" }, each, all);
  const question = h("p.question");
  const list = h("ul.sliders");
  const more = h("button.link.more", { type: "button" });
  const beginning = h("div.beginning");
  const editing = h("div.editing", {},
    h("div.class-facts", {}, tally, thumbs.root),
    h("div.slider-tools", {}, search, modes),
    question,
    h("p.slider-heads", {}, h("span", {}, "Most telling first"), h("span.average-key", {}, "average of all classes")),
    list, more);
  const head = h("div.editor-head", {},
    h("div.panel-head", {}, h("h2", {}, "Edit a class"), h("span.links", {}, reset, remove)),
    h("div.class-choice", {}, chooser.root, fresh));
  const creating = makeNewClass(app, server);
  const blocked = h("p.quiet", { hidden: true });
  root.append(head, beginning, editing, creating.root, blocked);
  if (!app.canEdit) {
    say(blocked, `Editing is not available on this page, because ${app.payload.reason}.`);
    show(blocked, true);
    for (const element of [head, editing, creating.root, beginning]) show(element, false);
    return;
  }
  mountStart(beginning, app);
  show(modes, app.attributes.families.length > 0);
  let [order, limit, orderedFor] = [[], SHOWN, null];

  reset.addEventListener("click", () => {
    const id = app.view.chosen;
    app.change(setVector(app.document, id, app.classOf(id).start));
    app.settle();
  });
  remove.addEventListener("click", () => {
    app.change(setActive(app.document, app.document.active.filter((id) => id !== app.view.chosen)));
    app.settle();
    app.look({ chosen: null, panel: "start" });
  });
  search.addEventListener("input", () => {
    limit = SHOWN;
    update();
  });
  more.addEventListener("click", () => {
    limit += 60;
    update();
  });

  /** Order the sliders by what they can move; only when a class is chosen, never while it is edited. */
  const reorder = () => {
    const key = [app.view.chosen, app.view.family, app.count, app.document.active.length].join();
    if (key === orderedFor) return;
    orderedFor = key;
    limit = SHOWN;
    order = orderAttributes(app, app.view.chosen, app.view.family);
    question.replaceChildren(...tellQuestion(app, app.view.chosen));
  };
  const update = () => {
    const { panel, chosen } = app.view;
    const edits = panel === "edit" && chosen !== null && app.placeOf(chosen) >= 0;
    show(creating.root, panel === "new");
    show(head, panel !== "new");
    show(editing, edits);
    show(beginning, panel !== "new" && !edits);
    for (const link of [reset, remove]) show(link, edits);
    if (panel === "new") creating.update();
    if (!edits) {
      chooser.say(null);
      return;
    }
    const one = app.classOf(chosen);
    chooser.say(one.name);
    show(reset, one.vector !== one.start);
    show(remove, app.document.active.length > 2);
    reorder();
    fillFacts(tally, thumbs, app);
    set(each, { "aria-pressed": String(!app.view.family) });
    set(all, { "aria-pressed": String(app.view.family) });
    const words = search.value.trim().toLowerCase();
    const found = order.filter(({ part, value }) => `${part} ${value}`.toLowerCase().includes(words));
    // An attribute that was chosen elsewhere comes first.
    const wanted = found.findIndex(({ members }) => members.length === 1 && members[0] === app.view.wanted);
    if (wanted > 0) found.unshift(...found.splice(wanted, 1));
    fillList(list, Math.min(limit, found.length), () => makeSlider(app), (row, at) => {
      fillSlider(row, found[at], app);
      mark(row, "wanted", found[at].members[0] === app.view.wanted && found[at].members.length === 1);
    });
    show(more, found.length > limit);
    say(more, `Show more (${count(found.length - limit, "attribute")})`);
  };
  app.listen(update);
  update();
}

/** How many pictures the class answers now, and which. */
function fillFacts(tally, thumbs, app) {
  const { chosen } = app.view;
  const pictures = [];
  let [before, right, known] = [0, 0, 0];
  for (let i = 0; i < app.count; i++) {
    if (app.before[i] === chosen) before++;
    if (app.now[i] !== chosen) continue;
    pictures.push(i);
    const verdict = app.judge(i);
    if (verdict === "right") right++;
    if (verdict !== "open") known++;
  }
  const noun = app.rows.pictures ? "picture" : "row";
  const was = before !== pictures.length && !app.classOf(chosen).isNew ? ` (was ${before})` : "";
  tally.replaceChildren(h("b", {}, count(pictures.length, noun)), was, known ? h("span", {}, `${right} right`) : "");
  thumbs.show(pictures.sort((one, other) => app.share(other, chosen) - app.share(one, chosen)));
}
