// On narrow screens one panel at a time.

import { h, set } from "../controls/dom.js";

const TABS = [["answer", "Answer"], ["why", "Why"], ["edit", "Edit"]];

export function mountTabs(root, app) {
  const choose = (name) => {
    document.body.dataset.tab = name;
    for (const button of root.children) set(button, { "aria-pressed": String(button.dataset.tab === name) });
  };
  root.append(...TABS.map(([name, title]) => h("button", { type: "button", "data-tab": name, onclick: () => choose(name) }, title)));
  choose("answer");
  // Who chooses a class wants to edit it.
  app.listen((news) => (news.has("class") ? choose("edit") : null));
}
