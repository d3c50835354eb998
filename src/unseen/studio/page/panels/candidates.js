// Which classes are candidates: all, some groups, or any choice.

import { fillList, h, part, say, set, show } from "../controls/dom.js";
import { count } from "../words/names.js";
import { makeDialog } from "../controls/dialog.js";
import { setActive } from "../state/changes.js";

export function makeCandidates(app) {
  const search = h("input.search", { type: "search", placeholder: "Find a class", "aria-label": "Find a class" });
  const all = h("button.button", { type: "button" }, "All");
  const start = h("button.button", { type: "button" }, "As at the start");
  const groupings = h("div.groupings");
  const list = h("ul.class-list");
  const told = h("p.quiet", { role: "status" });
  const { dialog, open } = makeDialog("Candidates", told, groupings, h("div.row", {}, search, all, start), list);
  dialog.classList.add("wide");

  const choose = (ids) => {
    if (ids.length < 1) return;
    app.change(setActive(app.document, ids));
    app.settle();
    if (app.view.chosen !== null && !ids.includes(app.view.chosen)) app.look({ chosen: null, panel: "start" });
    update();
  };
  const everyone = () => app.document.classes.map((_, id) => id);
  const find = () => everyone().filter((id) => app.classOf(id).name.toLowerCase().includes(search.value.trim().toLowerCase()));
  all.addEventListener("click", () => choose(everyone()));
  start.addEventListener("click", () => choose(app.history.start.active));
  search.addEventListener("input", () => update());
  list.addEventListener("change", (event) => {
    const id = Number(event.target.dataset.id);
    const active = new Set(app.document.active);
    if (event.target.checked) active.add(id);
    else active.delete(id);
    if (active.size) choose([...active]);
    else event.target.checked = true;
  });

  const update = () => {
    if (!dialog.open) return;
    const { active, classes } = app.document;
    say(told, `${count(active.length, "class")} of ${classes.length} to choose among. One switch restricts them to a group.`);
    fillGroupings(groupings, app, choose);
    const found = find();
    fillList(list, found.length, makeItem, (element, at) => {
      const one = app.classOf(found[at]);
      const box = element.querySelector("input");
      box.dataset.id = found[at];
      box.checked = app.placeOf(found[at]) >= 0;
      say(part(element, "class-name"), one.name);
      say(part(element, "class-note"), one.isNew ? "new" : one.seen ? "seen" : "");
    });
  };
  app.listen(update);
  if (!app.canEdit) {
    for (const element of [groupings, search.parentElement, list]) show(element, false);
  }
  return {
    open: () => {
      open();
      if (app.canEdit) update();
      else say(told, `${count(app.document.active.length, "class")}. They cannot be changed on this page, because ${app.payload.reason}.`);
    },
  };
}

function makeItem() {
  return h("li", {}, h("label", {}, h("input", { type: "checkbox" }), h("span.class-name"), h("span.class-note")));
}

/** One line of switches for each grouping. */
function fillGroupings(root, app, choose) {
  fillList(root, app.groupings.length, () => h("div.grouping", { role: "group" }, h("h3"), h("div.chips")), (element, at) => {
    const { name, groupOf } = app.groupings[at];
    set(element, { "aria-label": name });
    say(element.children[0], name);
    const groups = new Map();
    app.document.classes.forEach((one, id) => {
      const group = groupOf(one);
      groups.set(group, [...(groups.get(group) ?? []), id]);
    });
    const entries = [...groups].sort((one, other) => String(one[0]).localeCompare(String(other[0]), "en", { numeric: true }));
    fillList(element.children[1], entries.length, () => h("button.chip", { type: "button", onclick: ({ currentTarget }) => currentTarget.choose() }, h("span"), h("small")), (chip, i) => {
      const [group, members] = entries[i];
      say(chip.children[0], String(group));
      say(chip.children[1], String(members.length));
      chip.choose = () => choose(members);
      const { active } = app.document;
      set(chip, { "aria-pressed": String(active.length === members.length && members.every((id) => active.includes(id))), "aria-label": `Only ${group}, ${count(members.length, "class")}` });
    });
  });
}
