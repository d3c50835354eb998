// The sign of a verdict: never by colour alone, so a round tick, a square cross or a dashed circle.

import { h } from "./dom.js";
import { icon } from "./icons.js";

const SIGNS = { right: "check", wrong: "cross", none: "dash" };
export const WORDS = { right: "right", wrong: "wrong", none: "none of these", open: "not marked" };

export function makeSign() {
  return h("span.sign", { "aria-hidden": "true" });
}

/** Show a verdict; an open one shows nothing. */
export function fillSign(sign, verdict) {
  if (sign.dataset.verdict === verdict) return;
  sign.dataset.verdict = verdict;
  sign.replaceChildren(...(SIGNS[verdict] ? [icon(SIGNS[verdict], 14)] : []));
}
