// What to take away: the edited table, the answers, the model, and a link to all this.

import { count } from "../words/names.js";
import { h, say, show } from "../controls/dom.js";
import { makeDialog } from "../controls/dialog.js";
import { NONE } from "../state/verdicts.js";
import { writeCsv } from "../words/csv.js";

export function makeTakeAway(app, server) {
  const told = h("p.quiet", { role: "status" });
  const item = (title, note, text, onclick) =>
    h("li.take", {}, h("div", {}, h("b", {}, title), h("p.quiet", {}, note)), h("button.button", { type: "button", onclick }, text));
  const table = item("Class table", "The candidates with their descriptions as they are now; `unseen predict --classes` reads it.", "CSV", () => save("classes.csv", writeTable(app)));
  const answers = item("Answers", "The answer for every picture, its share, the runner-up, and what was marked.", "CSV", () => save("answers.csv", writeAnswers(app)));
  const link = item("Link", "The address of this page with all edits, marks and what is shown.", "Copy", async () => {
    say(told, await copyLink(app) ? "The link is copied." : "The link is in the address bar.");
  });
  const model = item("Model file", "The model with these classes, for `unseen predict`.", ".unseen", () => saveModel(app, server, told));
  show(model, server.has("model"));
  const { open } = makeDialog("Take away", h("ul.takes", {}, table, answers, link, model), told);
  return {
    open: () => {
      const edited = app.document.classes.filter((one) => one.vector !== one.start || one.isNew).length;
      say(told, edited ? `${count(edited, "class")} edited or new.` : "Nothing is edited yet.");
      open();
    },
  };
}

/** The candidates with their descriptions, as a class table. */
export function writeTable(app) {
  const rows = app.document.active.map((id) => {
    const { label, vector } = app.classOf(id);
    return [label, ...vector];
  });
  return writeCsv([["class", ...app.payload.attributes], ...rows]);
}

/** One line for each picture; an answer that is withheld is empty, as `unseen predict` writes it. */
export function writeAnswers(app) {
  const rows = app.rows.names.map((name, i) => {
    const [first, second] = app.rank(i);
    const given = app.now[i] === NONE ? "" : app.classOf(app.now[i]).label;
    const other = second === undefined ? ["", ""] : [app.classOf(second).label, app.share(i, second)];
    return [name, given, app.share(i, first), app.classOf(first).label, ...other, app.truthOf(i) ?? "", app.judge(i)];
  });
  return writeCsv([["row", "label", "probability", "best", "label_2", "probability_2", "truth", "verdict"], ...rows]);
}

/** Put the state into the address; return whether it could be copied, too. */
export async function copyLink(app) {
  location.replace(`#${app.link()}`);
  try {
    await navigator.clipboard.writeText(location.href);
    return true;
  } catch {
    return false;
  }
}

async function saveModel(app, server, told) {
  say(told, "Asking the server…");
  const classes = app.document.active.map((id) => ({ label: app.classOf(id).label, description: [...app.classOf(id).vector] }));
  try {
    const answer = await server.send("model", JSON.stringify({ classes, refined: Boolean(app.refined) }), { "Content-Type": "application/json" });
    saveBlob("edited.unseen", await answer.blob());
    say(told, "The model file is saved.");
  } catch (error) {
    say(told, error.message);
  }
}

function save(name, text) {
  saveBlob(name, new Blob([text], { type: "text/csv;charset=utf-8" }));
}

function saveBlob(name, blob) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
