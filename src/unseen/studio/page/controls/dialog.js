// A window over the page, which the keyboard cannot leave until it is closed.

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** Make a dialog with a heading; `open` shows it. */
export function makeDialog(heading, ...children) {
  const close = h("button.icon-button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"));
  const title = h("h2", {}, heading);
  const dialog = h("dialog", { "aria-label": heading }, h("div.dialog-head", {}, title, close), ...children);
  // A click beside the window closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  return { dialog, open: () => dialog.open || dialog.showModal() };
}
