// The keyboard: every key, what it does, and the page that lists them.

import { h } from "../controls/dom.js";
import { makeDialog } from "../controls/dialog.js";
import { markRight, markWrong, step } from "./picture.js";

/** List the keys: [keys as written, what they do, the function, whether Ctrl or Cmd is held]. */
export function listKeys(app, { openCandidates, openTakeAway, openHelp, toggleTheme }) {
  const focus = (selector) => () => document.querySelector(selector)?.focus();
  const best = (rank) => () => {
    const id = app.rank(app.view.picture)[rank];
    if (id !== undefined && app.canEdit) app.chooseClass(id);
  };
  return [
    [["J", "→"], "next picture", () => step(app, 1)],
    [["K", "←"], "previous picture", () => step(app, -1)],
    [["R"], "the answer is right", () => markRight(app)],
    [["W"], "the answer is wrong", () => markWrong(app)],
    [["1"], "edit the class in the first place", best(0)],
    [["2"], "edit the class in the second place", best(1)],
    [["3"], "edit the class in the third place", best(2)],
    [["E"], "choose a class to edit", () => document.querySelector(".class-choice .chooser-button")?.click()],
    [["F"], "find an attribute", focus(".editor .search")],
    [["P"], "each part or all parts", () => app.look({ family: !app.view.family })],
    [["S"], "to the sliders", focus(".sliders .range")],
    [["G"], "to the pictures; arrows move there", focus(".field")],
    [["N"], "new class", () => app.canEdit && app.look({ panel: "new" })],
    [["C"], "candidates", openCandidates],
    [["T"], "take away", openTakeAway],
    [["A"], "show all pictures", () => app.look({ filter: "all", only: null })],
    [["X"], "show what changed", () => app.look({ filter: "changed" })],
    [["U"], "show what is unsure", () => app.look({ filter: "unsure" })],
    [["D"], "light or dark", toggleTheme],
    [["Ctrl Z"], "undo", () => app.undo()],
    [["Ctrl Shift Z", "Ctrl Y"], "redo", () => app.redo()],
    [["?"], "this list", openHelp],
  ];
}

export function mountKeys(keys) {
  const actions = new Map(keys.flatMap(([names, , action]) => names.map((name) => [name, action])));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=range]):not([type=checkbox]), textarea, select, dialog[open]");
    const held = event.ctrlKey || event.metaKey;
    if (typing || event.altKey) return;
    const arrow = { ArrowRight: "→", ArrowLeft: "←" }[event.key];
    if (arrow && event.target.matches("input")) return;
    const letter = arrow ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
    const action = actions.get(held ? `Ctrl ${event.shiftKey ? "Shift " : ""}${letter}` : letter);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** The dialog that lists the keys, and says how to read the page. */
export function makeHelp(keys) {
  const rows = keys.map(([names, what]) => h("tr", {}, h("th", { scope: "row" }, ...names.flatMap((name, at) => (at ? [" or ", h("kbd", {}, name)] : [h("kbd", {}, name)]))), h("td", {}, what)));
  const { open, dialog } = makeDialog("Keys and help",
    h("div.help", {},
      h("table.keys", {}, h("tbody", {}, ...rows)),
      h("div.reading", {},
        h("p", {}, h("b", {}, "Answer. "), "The best candidates of the picture and their shares, which sum to 1 over all candidates. Below the tick no answer is given: “none of these” is a level, not a class."),
        h("p", {}, h("b", {}, "Why. "), "What each part of the descriptions adds to the lead of the first class (●) over the second (○), on the way from the description of one to that of the other. All parts together make up the lead. ◇ is where the model moves the description of the first class to meet this picture."),
        h("p", {}, h("b", {}, "Edit. "), "Sliders are ordered by how far they can move the shares of all pictures. One attribute alone moves few answers: try all parts. Values of a part that sum to one make room for each other."),
        h("p", {}, h("b", {}, "Right or wrong. "), "The range after the share of right answers is its 95% Wilson interval. Whoever edits descriptions while looking at pictures fits them to these pictures: measure the result on others."))));
  dialog.classList.add("wide");
  return { open };
}
