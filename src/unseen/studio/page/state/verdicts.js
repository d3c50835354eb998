// Whether answers are right, as far as the truth is known.

export const NONE = -1;

/** Return the label that is known to be true of a picture, or null. */
export function truthOf(document, truth, picture) {
  const mark = document.marks[picture];
  if (mark && mark.label !== undefined) return mark.label;
  return document.trusted ? truth[picture] ?? null : null;
}

/**
 * Return "right", "wrong", "none" (no answer given) or "open" (nobody has said).
 * "Not that" without the truth says nothing any more once the answer is another one.
 */
export function judge(document, truth, picture, answer) {
  if (answer === NONE) return "none";
  const { label } = document.classes[answer];
  const known = truthOf(document, truth, picture);
  if (known !== null) return known === label ? "right" : "wrong";
  return document.marks[picture]?.not === label ? "wrong" : "open";
}

/** Count verdicts over all pictures, and how answers differ from those at the start. */
export function countVerdicts(document, truth, answers, before) {
  const counts = { right: 0, wrong: 0, none: 0, open: 0, changed: 0, better: 0, worse: 0, rightBefore: 0, wrongBefore: 0 };
  for (let i = 0; i < answers.length; i++) {
    const now = judge(document, truth, i, answers[i]);
    counts[now]++;
    const then = judge(document, truth, i, before[i]);
    if (then === "right") counts.rightBefore++;
    if (then === "wrong") counts.wrongBefore++;
    if (answers[i] === before[i]) continue;
    counts.changed++;
    if (now === "right" && then !== "right") counts.better++;
    if (then === "right" && now !== "right") counts.worse++;
  }
  return counts;
}
