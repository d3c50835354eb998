// A button that opens a list to search and choose from.

import { fillList, h, part, say, show } from "./dom.js";
import { icon } from "./icons.js";

// So many are listed at once; the search finds the others.
const MOST = 60;

let counter = 0;

/**
 * Make a chooser.
 * @param {object} how label (for screen readers), list() of {value, text, note}, onChoose(value), empty (text if nothing is chosen)
 */
export function makeChooser({ label, list, onChoose, empty }) {
  const id = `chooser-${counter++}`;
  const text = h("span.chosen", {}, empty);
  const button = h(
    "button.chooser-button",
    { type: "button", "aria-haspopup": "listbox", "aria-expanded": "false", "aria-label": label },
    text,
    icon("chevron", 16),
  );
  const search = h("input", {
    type: "search", placeholder: "Find", "aria-label": `${label}: find`, role: "combobox", "aria-controls": id,
    "aria-expanded": "true", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
  });
  const options = h("ul", { id, role: "listbox", "aria-label": label });
  const popup = h("div.chooser-popup", { hidden: true }, search, options);
  const root = h("div.chooser", {}, button, popup);
  let [found, at] = [[], 0];

  const open = () => {
    show(popup, true);
    button.setAttribute("aria-expanded", "true");
    search.value = "";
    fill();
    search.focus();
    popup.scrollIntoView({ block: "nearest" });
  };
  const close = (refocus) => {
    if (popup.hidden) return;
    show(popup, false);
    button.setAttribute("aria-expanded", "false");
    if (refocus) button.focus();
  };
  const choose = (option) => {
    close(true);
    onChoose(option.value);
  };
  const fill = () => {
    const wanted = search.value.trim().toLowerCase();
    found = list().filter((option) => option.text.toLowerCase().includes(wanted)).slice(0, MOST);
    at = Math.max(0, Math.min(at, found.length - 1));
    if (wanted) at = 0;
    fillList(options, found.length, makeOption, (element, i) => {
      say(part(element, "option-text"), found[i].text);
      say(part(element, "option-note"), found[i].note ?? "");
      element.id = `${id}-${i}`;
      element.dataset.at = i;
      element.setAttribute("aria-selected", i === at);
    });
    search.setAttribute("aria-activedescendant", found.length ? `${id}-${at}` : "");
    options.children[at]?.scrollIntoView({ block: "nearest" });
  };
  button.addEventListener("click", () => (popup.hidden ? open() : close(true)));
  search.addEventListener("input", fill);
  search.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) at = (at + step + found.length) % Math.max(1, found.length);
    if (step) fill();
    else if (event.key === "Enter" && found[at]) choose(found[at]);
    else if (event.key === "Escape") close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  options.addEventListener("pointerdown", (event) => event.preventDefault());
  options.addEventListener("click", (event) => {
    const element = event.target.closest("li");
    if (element) choose(found[Number(element.dataset.at)]);
  });
  root.addEventListener("focusout", (event) => {
    if (!root.contains(event.relatedTarget)) close(false);
  });
  return { root, open, say: (value) => say(text, value ?? empty) };
}

function makeOption() {
  return h("li", { role: "option" }, h("span.option-text"), h("span.option-note"));
}
