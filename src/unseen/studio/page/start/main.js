// Start: read the data, and let every panel show its part.

import { App } from "./app.js";
import { h, show } from "../controls/dom.js";
import { listKeys, makeHelp, mountKeys } from "../panels/keys.js";
import { makeCandidates } from "../panels/candidates.js";
import { makeTakeAway } from "../panels/takeaway.js";
import { mountAnswer } from "../panels/answer.js";
import { mountBar } from "../panels/bar.js";
import { mountDrop } from "../panels/drop.js";
import { mountEditor } from "../panels/editor.js";
import { mountFilters } from "../panels/filters.js";
import { mountGrid } from "../panels/grid.js";
import { mountPicture } from "../panels/picture.js";
import { mountRefining } from "../panels/refining.js";
import { mountTabs } from "../panels/tabs.js";
import { mountWhy } from "../panels/why.js";
import { readLink } from "../state/link.js";
import { readPayload } from "./payload.js";
import { Server } from "./server.js";
import { toggleTheme } from "./theme.js";

function start() {
  const element = (id) => document.getElementById(id);
  const payload = readPayload(element("data"));
  const server = new Server(payload.server);
  const app = new App(payload, server);
  followLink(app);
  document.body.classList.toggle("drawn", app.rows.drawn);
  const candidates = makeCandidates(app);
  const takeAway = makeTakeAway(app, server);
  const ways = { openCandidates: candidates.open, openTakeAway: takeAway.open, openHelp: () => help.open(), toggleTheme };
  const keys = listKeys(app, ways);
  const help = makeHelp(keys);
  mountBar(element("bar"), app, ways);
  mountFilters(element("filters"), element("changes"), app);
  mountGrid(element("grid"), app);
  mountPicture(element("picture"), app);
  mountAnswer(element("answer"), app);
  mountWhy(element("why"), app);
  mountEditor(element("editor"), app, server);
  mountRefining(element("filters"), app, server);
  mountTabs(element("tabs"), app);
  mountDrop(app, server);
  mountKeys(keys);
  show(element("waiting"), false);
  // For tests and for the curious.
  window.studio = app;
}

/** Show what a link was made of. */
function followLink(app) {
  const found = location.hash.length > 1 ? readLink(location.hash.slice(1), app.document) : null;
  if (!found) return;
  if (app.canEdit) app.history.change(found.document);
  app.follow();
  Object.assign(app.view, { picture: Math.min(found.picture, app.count - 1), chosen: found.chosen });
  if (found.chosen !== null && app.placeOf(found.chosen) >= 0) app.view.panel = "edit";
}

try {
  start();
} catch (error) {
  document.getElementById("waiting").replaceChildren(h("p", {}, `The studio could not start: ${error.message}`));
  throw error;
}
