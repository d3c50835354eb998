// The chosen picture, large, and what is known to be true of it.

import { fillSign, makeSign } from "../controls/verdict.js";
import { h, mark, say, set, show } from "../controls/dom.js";
import { icon } from "../controls/icons.js";
import { makeChooser } from "../controls/chooser.js";
import { NONE } from "../state/verdicts.js";
import { setMark } from "../state/changes.js";
import { readClass } from "../words/names.js";

export function mountPicture(root, app) {
  const image = h("img.large", { alt: "" });
  const card = h("div.large.row-card", { hidden: true });
  const sign = makeSign();
  const words = h("p.verdict");
  const right = h("button.mark.mark-right", { type: "button", title: "The answer is right (R)", "aria-label": "The answer is right" }, icon("check"));
  const wrong = h("button.mark.mark-wrong", { type: "button", title: "The answer is wrong (W)", "aria-label": "The answer is wrong" }, icon("cross"));
  const chooser = makeChooser({
    label: "What is it?",
    empty: "What is it?",
    list: () => app.document.active.map((id) => ({ value: id, text: app.classOf(id).name })),
    onChoose: (id) => markAs(app, { label: app.classOf(id).label }),
  });
  right.addEventListener("click", () => markRight(app));
  wrong.addEventListener("click", () => markWrong(app));
  const marks = h("div.marks", { role: "group", "aria-label": "Mark this picture" }, right, wrong, chooser.root);
  const line = h("div.verdict-line", {}, sign, words);
  const previous = h("button.icon-button.step", { type: "button", "aria-label": "Previous picture", onclick: () => step(app, -1) }, icon("previous"));
  const next = h("button.icon-button.step", { type: "button", "aria-label": "Next picture", onclick: () => step(app, 1) }, icon("next"));
  root.append(h("div.frame", {}, image, card, previous, next), line, marks);

  const update = () => {
    if (!app.count) return;
    const { picture } = app.view;
    const address = app.rows.pictures?.[picture] ?? null;
    const name = app.rows.names[picture];
    show(image, address !== null);
    show(card, address === null);
    if (address !== null && image.getAttribute("src") !== address) set(image, { src: address });
    image.alt = describe(app, picture);
    say(card, name);
    const verdict = app.judge(picture);
    fillSign(sign, verdict);
    show(sign, verdict !== "open");
    const truth = app.truthOf(picture);
    const trueName = truth === null ? "" : nameOf(app, truth);
    words.replaceChildren(...tell(verdict, trueName));
    const marked = app.document.marks[picture];
    const answer = app.now[picture];
    const label = answer === NONE ? null : app.classOf(answer).label;
    set(right, { "aria-pressed": String(Boolean(marked && marked.label === label && label !== null)) });
    set(wrong, { "aria-pressed": String(Boolean(marked && (marked.not === label || (marked.label ?? label) !== label))) });
    right.disabled = wrong.disabled = label === null;
    chooser.say(marked?.label ? nameOf(app, marked.label) : null);
    const known = app.document.trusted && app.rows.truth[picture] !== null;
    show(marks, !known);
    show(line, known || verdict !== "open");
    mark(root, "marking", !known);
  };
  app.listen(update);
  update();
}

/** Name a class by its label, whether it is one of the table or not. */
function nameOf(app, label) {
  return app.document.classes.find((one) => one.label === label)?.name ?? readClass(label);
}

function tell(verdict, trueName) {
  const name = h("b", {}, trueName);
  if (verdict === "right") return ["Right"];
  if (verdict === "wrong") return trueName ? ["Wrong: it is ", name] : ["Wrong"];
  if (verdict === "none") return trueName ? ["None of these; it is ", name] : ["None of these"];
  return [];
}

/** Say for screen readers what a picture is. */
export function describe(app, picture) {
  const answer = app.now[picture];
  const said = answer === NONE ? "none of these" : app.classOf(answer).name;
  return `${app.rows.names[picture]}: ${said}, ${app.judge(picture)}`;
}

export function markAs(app, given) {
  app.change(setMark(app.document, app.view.picture, given));
  app.settle();
}

export function markRight(app) {
  const answer = app.now[app.view.picture];
  if (answer === NONE) return;
  const { label } = app.classOf(answer);
  markAs(app, app.document.marks[app.view.picture]?.label === label ? null : { label });
}

export function markWrong(app) {
  const answer = app.now[app.view.picture];
  if (answer === NONE) return;
  const { label } = app.classOf(answer);
  markAs(app, app.document.marks[app.view.picture]?.not === label ? null : { not: label });
}

/** Go to the next picture in the order that the grid shows. */
export function step(app, by) {
  const order = app.order ?? [];
  const at = order.indexOf(app.view.picture);
  if (order.length) app.look({ picture: order[(at + by + order.length) % order.length] });
}
