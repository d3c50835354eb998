// Drop features onto the page, or pictures where a server encodes them.

import { count } from "../words/names.js";
import { h, say, show } from "../controls/dom.js";
import { projectFeatures } from "../numbers/scorer.js";
import { readFeatures } from "../words/features.js";

export function mountDrop(app, server) {
  const told = h("p");
  const curtain = h("div.curtain", { hidden: true, role: "status" }, told);
  document.body.append(curtain);
  const can = [app.payload.features || server.has("rows") ? "features (CSV or .npy)" : "", server.has("pictures") ? "pictures" : ""].filter(Boolean);
  let depth = 0;

  document.addEventListener("dragenter", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    depth++;
    say(told, can.length ? `Drop ${can.join(" or ")} here` : "Nothing can be dropped here: open the studio with a server");
    show(curtain, true);
  });
  document.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (!depth) show(curtain, false);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    depth = 0;
    show(curtain, true);
    const files = [...event.dataTransfer.files];
    try {
      const added = [];
      for (const [at, file] of files.entries()) {
        say(told, files.length > 1 ? `Reading ${at + 1} of ${files.length}` : `Reading ${file.name}`);
        added.push(...(await read(file, app, server)));
      }
      if (added.length) app.append(added);
      show(curtain, false);
    } catch (error) {
      say(told, error.message);
      setTimeout(() => show(curtain, false), 5000);
    }
  });
  curtain.addEventListener("click", () => show(curtain, false));
}

/** Return what a file adds: {name, picture, terms}. */
async function read(file, app, server) {
  if (file.type.startsWith("image/")) {
    if (!server.has("pictures")) {
      throw new Error(`${file.name} is a picture, and encoding one takes the server: run \`unseen studio\` without --out`);
    }
    const headers = { "Content-Type": file.type, "X-Name": encodeURIComponent(file.name) };
    const { terms, key } = await (await server.send("pictures", file, headers)).json();
    return [{ name: file.name, picture: URL.createObjectURL(file), terms, key }];
  }
  const { names, rows } = await readFeatures(file, app.payload.features);
  // A server keeps them, so that it can refine the model by them.
  if (server.has("rows")) {
    const answer = await server.ask("rows", { features: rows.map((row) => [...row]) });
    if (answer.rows.length !== rows.length) throw new Error(`The server answered for ${answer.rows.length} of ${count(rows.length, "row")}.`);
    return answer.rows.map(({ terms, key }, at) => ({ name: names[at], terms, key }));
  }
  if (!app.payload.features) throw new Error("This page is without what turns features into answers: run `unseen studio` without --out");
  return rows.map((row, at) => ({ name: names[at], terms: projectFeatures(app.payload.features, row) }));
}
