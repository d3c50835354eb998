// All pictures. Only those in sight are in the document, so that thousands do not slow the page down.

import { fillSign, makeSign, WORDS } from "../controls/verdict.js";
import { h, mark, part, say, set, show, style } from "../controls/dom.js";
import { findSections } from "./order.js";
import { judge, NONE } from "../state/verdicts.js";
import { percent } from "../words/names.js";

const GAP = 12;
const HEAD = 34;
const CAPTION = 54;
// Pictures beyond what is in sight that are ready for scrolling.
const SPARE = 500;

export function mountGrid(root, app) {
  const field = h("div.field", { role: "listbox", "aria-label": "Pictures", tabindex: 0 });
  const empty = h("p.quiet", { hidden: true });
  root.append(field, empty);
  const tiles = new Map();
  const heads = [];
  let layout = { items: [], height: 0 };
  let isStrip = false;

  const arrange = () => {
    const sections = findSections(app);
    app.order = sections.flatMap(({ pictures }) => pictures);
    isStrip = matchMedia("(max-width: 960px)").matches;
    layout = isStrip ? arrangeStrip(app) : arrangeRows(sections, field.clientWidth, app);
    field.style.height = isStrip ? "" : `${layout.height}px`;
    field.style.width = isStrip ? `${layout.width}px` : "";
    style(field, "--tile", `${layout.size}px`);
    style(field, "--picture", `${layout.size / aspectOf(app)}px`);
    mark(root, "strip", isStrip);
    show(empty, !app.order.length);
    say(empty, app.count ? "No picture is of this kind." : "There is nothing to recognise yet: drop pictures or features onto this page.");
    document.body.classList.toggle("empty", !app.count);
    fillHeads(field, heads, layout.heads ?? []);
    paint();
  };

  /** Show the tiles in sight, and fill them. */
  const paint = () => {
    const [from, to] = isStrip
      ? [root.scrollLeft - SPARE, root.scrollLeft + root.clientWidth + SPARE]
      : [root.scrollTop - SPARE, root.scrollTop + root.clientHeight + SPARE];
    const wanted = new Set();
    for (const item of layout.items) {
      const [start, end] = isStrip ? [item.left, item.left + layout.size] : [item.top, item.top + layout.pitch];
      if (end < from || start > to) continue;
      wanted.add(item.picture);
      let tile = tiles.get(item.picture);
      if (!tile) {
        tile = makeTile(app, item.picture);
        tiles.set(item.picture, tile);
        field.append(tile);
      }
      tile.style.transform = `translate(${item.left}px, ${item.top}px)`;
      fillTile(tile, app, item.picture);
    }
    for (const [picture, tile] of tiles) {
      if (wanted.has(picture)) continue;
      tile.remove();
      tiles.delete(picture);
    }
    set(field, { "aria-activedescendant": tiles.has(app.view.picture) ? `tile-${app.view.picture}` : null });
  };

  /** Bring the chosen picture into sight. */
  const reveal = () => {
    const item = layout.items.find(({ picture }) => picture === app.view.picture);
    if (!item) return;
    if (isStrip) {
      if (item.left < root.scrollLeft || item.left + layout.size > root.scrollLeft + root.clientWidth) {
        root.scrollLeft = item.left - (root.clientWidth - layout.size) / 2;
      }
    } else if (item.top < root.scrollTop || item.top + layout.pitch > root.scrollTop + root.clientHeight) {
      root.scrollTop = item.top - Math.max(HEAD, (root.clientHeight - layout.pitch) / 2);
    }
  };

  root.addEventListener("scroll", () => requestAnimationFrame(paint), { passive: true });
  field.addEventListener("click", (event) => {
    const tile = event.target.closest(".tile");
    if (tile) app.look({ picture: Number(tile.dataset.picture) });
  });
  field.addEventListener("keydown", (event) => {
    const across = Math.max(1, layout.columns ?? 1);
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across, PageDown: 4 * across, PageUp: -4 * across }[event.key];
    const at = app.order.indexOf(app.view.picture);
    const to = event.key === "Home" ? 0 : event.key === "End" ? app.order.length - 1 : by ? at + by : null;
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    app.look({ picture: app.order[Math.min(app.order.length - 1, Math.max(0, to))] });
  });
  new ResizeObserver(() => requestAnimationFrame(arrange)).observe(root);

  // Nothing moves to another place while a slider is dragged, nor when it is let go, unless a filter asks for it.
  app.listen((news) => {
    const filtered = app.view.filter !== "all" || app.view.only !== null;
    const moves = ["view", "class", "travelled", "pictures"].some((what) => news.has(what)) || (news.has("settled") && filtered);
    const key = [app.view.filter, app.view.only, app.view.chosen, app.count].join();
    if ((moves && key !== arrange.key) || news.has("travelled") || news.has("pictures") || (news.has("settled") && filtered)) {
      if (key !== arrange.key && news.has("class")) root.scrollTop = 0;
      arrange.key = key;
      arrange();
    } else paint();
    if (news.has("view") || news.has("class")) reveal(), paint();
  });
  arrange.key = [app.view.filter, app.view.only, app.view.chosen, app.count].join();
  arrange();
}

function aspectOf(app) {
  return app.rows.drawn ? 2 : 1;
}

function arrangeRows(sections, width, app) {
  const photo = width > 2400 ? 184 : width > 1500 ? 132 : 104;
  const least = app.rows.drawn ? 130 : photo;
  const columns = Math.max(2, Math.floor((width + GAP) / (least + GAP)));
  const size = Math.floor((width - GAP * (columns - 1)) / columns);
  const pitch = size / aspectOf(app) + CAPTION + GAP;
  const [items, heads] = [[], []];
  let top = 0;
  for (const section of sections) {
    if (section.title) {
      heads.push({ ...section, top });
      top += HEAD;
    }
    section.pictures.forEach((picture, at) =>
      items.push({ picture, left: (at % columns) * (size + GAP), top: top + Math.floor(at / columns) * pitch }));
    top += Math.ceil(section.pictures.length / columns) * pitch + GAP;
  }
  return { items, heads, size, pitch, columns, height: top };
}

function arrangeStrip(app) {
  const size = app.rows.drawn ? 104 : 72;
  const items = app.order.map((picture, at) => ({ picture, left: at * (size + 8), top: 0 }));
  return { items, size, pitch: size, columns: 1, width: items.length * (size + 8) };
}

function fillHeads(field, heads, wanted) {
  while (heads.length > wanted.length) heads.pop().remove();
  wanted.forEach(({ title, note, pictures, top }, at) => {
    const head = (heads[at] ??= field.appendChild(h("p.section-head", { role: "presentation" }, h("b"), h("span"))));
    say(head.children[0], title);
    say(head.children[1], `${pictures.length.toLocaleString("en")}${note ? ` · ${note}` : ""}`);
    head.style.transform = `translateY(${top}px)`;
  });
}

function makeTile(app, picture) {
  const address = app.rows.pictures?.[picture] ?? null;
  const image = address ? h("img", { src: address, alt: "", loading: "lazy", draggable: "false" }) : h("span.row-card", {}, app.rows.names[picture]);
  return h("div.tile", { role: "option", id: `tile-${picture}`, "data-picture": picture },
    h("span.thumb", {}, image, makeSign()),
    h("span.tile-name"), h("span.tile-was"), h("span.tile-share", {}, h("span.meter", {}, h("i")), h("span.tile-percent"), h("b.tile-moved")));
}

function fillTile(tile, app, picture) {
  const answer = app.now[picture];
  const before = app.before[picture];
  const verdict = app.judge(picture);
  const name = answer === NONE ? "None of these" : app.classOf(answer).name;
  const { chosen } = app.view;
  const id = chosen !== null && app.placeOf(chosen) >= 0 ? chosen : answer;
  const share = id === NONE ? app.answers.confidence(picture) : app.share(picture, id);
  const then = id === NONE ? null : app.shareBefore(picture, id);
  const moved = then === null ? 0 : Math.round(100 * (share - then));
  const key = [answer, before, verdict, Math.round(1000 * share), moved, chosen, picture === app.view.picture].join();
  if (tile.key === key) return;
  const isNew = tile.key !== undefined && tile.answer !== answer;
  tile.key = key;
  tile.answer = answer;
  fillSign(part(tile, "sign"), verdict);
  say(part(tile, "tile-name"), name);
  const changed = answer !== before;
  mark(tile, "changed", changed);
  const thenVerdict = changed ? judge(app.document, app.rows.truth, picture, before) : verdict;
  mark(tile, "better", changed && verdict === "right" && thenVerdict !== "right");
  mark(tile, "worse", changed && thenVerdict === "right");
  say(part(tile, "tile-was"), changed ? `was ${before === NONE ? "none of these" : app.classOf(before).name}` : "");
  style(part(tile, "meter"), "--share", share);
  say(part(tile, "tile-percent"), percent(share));
  say(part(tile, "tile-moved"), moved ? `${moved > 0 ? "+" : "−"}${Math.abs(moved)}` : "");
  set(tile, {
    "aria-selected": String(picture === app.view.picture),
    "aria-label": `${app.rows.names[picture]}: ${name}, ${percent(share)}, ${WORDS[verdict]}${changed ? ", changed" : ""}`,
  });
  if (isNew && changed) pulse(tile);
}

/** Show shortly that a tile changed. */
function pulse(tile) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  part(tile, "thumb").animate([{ transform: "scale(1)" }, { transform: "scale(1.05)" }, { transform: "scale(1)" }], 260);
}
