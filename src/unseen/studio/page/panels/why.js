// Why the first class and not the second: what each attribute adds to the lead, by parts.

import { fillList, h, part, say, show, style } from "../controls/dom.js";

// So many parts are shown; fewer where the panel is wide and low.
const ROWS = 7;
const FEWER = "(max-width: 1240px) and (min-width: 961px) and (max-height: 980px)";

export function mountWhy(root, app) {
  const legend = h("p.legend");
  const list = h("ol.reasons", { "aria-label": "Attributes by what they add to the lead" });
  const rest = h("p.reason.rest", {}, h("span.reason-name"), h("span.scale"), h("span.pull", {}, h("i")));
  const nothing = h("p.quiet", { hidden: true });
  const heads = h("div.reason.reason-heads", { "aria-hidden": "true" }, h("span"), h("span.scale", {}, h("span.low"), h("span.high")), h("span.pull", {}, h("span.for-other"), h("span.for-first")));
  root.append(h("div.panel-head", {}, h("h2", {}, "Why"), h("p.hint", {}, "choose one to edit it")), legend, heads, list, rest, nothing);
  if (!app.canCompute) {
    say(nothing, `A page cannot take these answers apart: ${app.payload.reason}.`);
    for (const element of [legend, heads, list, rest]) show(element, false);
    show(nothing, true);
    return;
  }
  const update = () => {
    if (!app.count) return;
    const { picture } = app.view;
    const [first, second] = app.rank(picture);
    const alone = second === undefined;
    for (const element of [legend, heads, list, rest]) show(element, !alone);
    show(nothing, alone);
    say(nothing, "There is one candidate only, so it has nothing to lead.");
    if (alone) return;
    const [winner, other] = [app.classOf(first), app.classOf(second)];
    const parts = app.explain(picture, winner.vector, other.vector);
    const displaced = app.displaced(picture, winner.vector);
    const groups = groupReasons(app.attributes, parts);
    const shown = groups.slice(0, matchMedia(FEWER).matches ? 4 : ROWS);
    const lead = app.scorer.column(winner.vector)[picture] - app.scorer.column(other.vector)[picture];
    const others = lead - shown.reduce((sum, { size }) => sum + size, 0);
    const largest = Math.max(...shown.map(({ size }) => Math.abs(size)), Math.abs(others), 1e-9);
    fillLegend(legend, winner.name, other.name, displaced);
    fillHeads(heads, app.attributes);
    fillList(list, shown.length, () => makeReason(app), (element, at) =>
      fillReason(element, shown[at], { app, winner, other, displaced, largest, first, second }));
    const left = parts.length - shown.reduce((sum, { members }) => sum + members.length, 0);
    show(rest, Math.abs(others) > 0.005 * largest);
    say(part(rest, "reason-name"), left > 0 ? `${left} ${left === 1 ? "other" : "others together"}` : "The seen class itself");
    fillPull(part(rest, "pull"), others / largest);
  };
  app.listen((news) => (app.dragging && news.size === 1 && news.has("settled") ? null : update()));
  update();
}

/** One reason for each part: its values that speak most, together with their sum. */
function groupReasons(attributes, parts) {
  const groups = new Map();
  attributes.list.forEach(({ part: name, at }) => {
    const key = name || `\n${at}`;
    const group = groups.get(key) ?? { part: name, members: [], size: 0 };
    group.members.push(at);
    group.size += parts[at];
    groups.set(key, group);
  });
  for (const group of groups.values()) {
    group.members.sort((one, other) => Math.abs(parts[other]) - Math.abs(parts[one]));
    group.strength = Math.max(Math.abs(group.size), ...group.members.map((at) => Math.abs(parts[at]) / 2));
  }
  return [...groups.values()].filter(({ strength }) => strength > 0).sort((one, other) => other.strength - one.strength);
}

function fillLegend(legend, winner, other, displaced) {
  if (!legend.children.length) {
    legend.append(h("span.key.key-winner"), h("span.key.key-other"), h("span.key.key-says", {}, "this picture"));
  }
  say(legend.children[0], winner);
  say(legend.children[1], other);
  show(legend.children[2], displaced !== null);
}

function fillHeads(heads, attributes) {
  const [low, high] = attributes.units === "share" ? ["0", "100%"] : ["low", "high"];
  say(part(heads, "low"), low);
  say(part(heads, "high"), high);
  say(part(heads, "for-other"), "for ○");
  say(part(heads, "for-first"), "for ●");
}

function makeReason(app) {
  return h("li", {}, h("button.reason", {
    type: "button",
    onclick: ({ currentTarget: { dataset } }) => {
      app.chooseClass(Number(dataset.id));
      app.look({ wanted: Number(dataset.at), family: false });
    },
  },
  h("span.reason-name"),
  h("span.scale", { "aria-hidden": "true" }, h("i.between"), h("i.dot.dot-other"), h("i.dot.dot-winner"), h("i.dot.dot-says")),
  h("span.pull", { "aria-hidden": "true" }, h("i"))));
}

function fillReason(element, { part: name, members, size }, { app, winner, other, displaced, largest, first, second }) {
  const { attributes } = app;
  const [at] = members;
  const { value } = attributes.list[at];
  const button = part(element, "reason");
  // Whoever it speaks against is the one to look at.
  button.dataset.id = size > 0 ? second : first;
  button.dataset.at = at;
  const label = part(element, "reason-name");
  label.replaceChildren(name ? `${name}: ` : "", h("b", {}, value));
  label.title = name ? `${name}: ${value}` : value;
  const [low, high] = attributes.ranges[at];
  const place = (number) => Math.min(1, Math.max(0, (number - low) / (high - low)));
  const [one, two] = [place(winner.vector[at]), place(other.vector[at])];
  const scale = part(element, "scale");
  style(scale, "--winner", one);
  style(scale, "--other", two);
  style(scale, "--from", Math.min(one, two));
  style(scale, "--to", Math.max(one, two));
  show(part(element, "dot-says"), displaced !== null);
  if (displaced) style(scale, "--says", place(displaced[at]));
  fillPull(part(element, "pull"), size / largest);
  const say_ = (vector) => `${attributes.format(vector[at])}${attributes.unit}`;
  button.setAttribute(
    "aria-label",
    `${name} ${value}: ${winner.name} ${say_(winner.vector)}, ${other.name} ${say_(other.vector)}, speaks for ${size > 0 ? winner.name : other.name}`,
  );
}

function fillPull(element, size) {
  style(element, "--size", Math.abs(size));
  element.classList.toggle("against", size < 0);
}
