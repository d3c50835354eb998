// One attribute, or one value on all parts, as a slider with a number to type.

import { changeFamily, changeValue, meanOf, setVector } from "../state/changes.js";
import { h, part, say, set, show, style } from "../controls/dom.js";
import { icon } from "../controls/icons.js";

/** Make an empty row of the editor; `fillSlider` says which attribute it is. */
export function makeSlider(app) {
  const range = h("input.range", { type: "range", step: "any" });
  const number = h("input.number", { type: "text", inputmode: "decimal", autocomplete: "off" });
  const row = h("li.slider", {},
    h("span.slider-name", {}, h("span.slider-part"), h("span.slider-value", {}, h("i.swatch", { hidden: true }), h("b"), h("span.was"))),
    h("span.track", {}, range, h("i.average", { "aria-hidden": "true" }), h("i.before", { "aria-hidden": "true" })),
    h("span.typed", {}, number, h("span.unit")));
  let base = null;

  const move = (value) => {
    const { members } = row.what;
    const id = app.view.chosen;
    base ??= app.classOf(id).vector;
    app.dragging = true;
    const vector = members.length > 1 ? changeFamily(base, members, value, app.attributes) : changeValue(base, members[0], value, app.attributes);
    app.change(setVector(app.document, id, vector), `slider ${id} ${members.join()}`);
  };
  const settle = () => {
    base = null;
    if (app.dragging) app.settle();
  };
  range.addEventListener("input", () => move(Number(range.value)));
  range.addEventListener("change", settle);
  range.addEventListener("keydown", (event) => {
    // Whole units, where "any" would make the steps of the keyboard a hundredth of a range of 1 in some browsers only.
    const [low, high] = row.what.range;
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const value = Number(range.value) + (by * (high - low)) / 100;
    move(Math.min(high, Math.max(low, value)));
    settle();
  });
  number.addEventListener("change", () => {
    const value = Number(number.value.replace(",", ".").replace("%", "")) / app.attributes.scale;
    const [low, high] = row.what.range;
    if (number.value.trim() !== "" && Number.isFinite(value)) move(Math.min(high, Math.max(low, value)));
    settle();
    row.refresh();
  });
  number.addEventListener("keydown", (event) => event.key === "Enter" && number.blur());
  number.addEventListener("focus", () => number.select());
  Object.assign(row, { rangeInput: range, numberInput: number });
  return row;
}

/** Show an attribute or family: {members, part, value, range}. */
export function fillSlider(row, what, app) {
  row.what = what;
  row.refresh = () => fillSlider(row, what, app);
  const { attributes } = app;
  const one = app.classOf(app.view.chosen);
  const now = meanOf(one.vector, what.members);
  const start = meanOf(one.start, what.members);
  const [low, high] = what.range;
  const place = (value) => (value - low) / (high - low);
  const balanced = what.members.length === 1 && attributes.balanceOf(what.members[0]) !== null;
  const name = part(row, "slider-part");
  if (name.dataset.text !== what.part || name.dataset.balanced !== String(balanced)) {
    Object.assign(name.dataset, { text: what.part, balanced });
    name.replaceChildren(what.part, ...(balanced ? [" ", icon("link", 12)] : []));
    name.title = balanced ? "The values of this part sum to one: the others make room" : "";
  }
  const value = part(row, "slider-value");
  say(value.children[1], what.value);
  value.children[1].title = what.value;
  fillSwatch(value.children[0], what.value);
  const changed = Math.abs(now - start) > 1e-9;
  say(value.children[2], changed ? `was ${attributes.format(start)}` : "");
  row.classList.toggle("edited", changed);
  const { rangeInput: range, numberInput: number } = row;
  set(range, { min: low, max: high, "aria-label": `${what.part} ${what.value}`.trim(), "aria-valuetext": `${attributes.format(now)}${attributes.unit}` });
  if (Number(range.value) !== now) range.value = String(now);
  style(range, "--at", place(now));
  const track = part(row, "track");
  style(track, "--average", place(what.average));
  style(track, "--start", place(start));
  show(part(row, "before"), changed);
  if (document.activeElement !== number) number.value = attributes.format(now);
  set(number, { "aria-label": `${what.part} ${what.value}, typed`.trim() });
  say(part(row, "unit"), attributes.unit);
}

/** Show a colour beside its name, if it is the name of one. */
function fillSwatch(swatch, value) {
  const isColour = /^[a-z]{3,}$/i.test(value) && CSS.supports("color", value);
  show(swatch, isColour);
  if (isColour) swatch.style.backgroundColor = value;
}
