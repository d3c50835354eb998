// Where to begin: classes that answer too often, which an edit can help most.

import { fillList, h, part, say } from "../controls/dom.js";
import { count } from "../words/names.js";
import { countByClass } from "./filters.js";
import { makeThumbs } from "../controls/thumbs.js";

const SHOWN = 6;

export function mountStart(root, app) {
  const lead = h("p.quiet");
  const list = h("ol.places");
  root.append(h("h3", {}, "A place to begin"), lead, list);
  const update = () => {
    const found = findPlaces(app).slice(0, SHOWN);
    say(lead, found.length ? "Classes that answer too often. Choose one, and see which attributes it owes that to." : "No class answers more often than it should. Choose any class above, or one of the answers.");
    fillList(list, found.length, () => makePlace(app), (element, at) => {
      const { id, answers, right, expected } = found[at];
      element.firstElementChild.dataset.id = id;
      say(part(element, "place-name"), app.classOf(id).name);
      say(part(element, "place-note"), right === null ? `${count(answers, "answer")}, where its shares sum to ${Math.round(expected)}` : `${count(answers, "answer")}, ${right} right`);
      element.thumbs.show(listPictures(app, id));
    });
  };
  app.listen((news) => (root.hidden ? null : update()));
  update();
}

function makePlace(app) {
  const thumbs = makeThumbs(app, 5);
  const button = h("button.place", { type: "button", onclick: ({ currentTarget }) => app.chooseClass(Number(currentTarget.dataset.id), { andPicture: true }) },
    h("b.place-name"), h("span.place-note"));
  const element = h("li", {}, button, thumbs.root);
  element.thumbs = thumbs;
  return element;
}

function listPictures(app, id) {
  const pictures = [];
  for (let i = 0; i < app.count; i++) if (app.now[i] === id) pictures.push(i);
  return pictures.sort((one, other) => (app.judge(one) === "wrong" ? 0 : 1) - (app.judge(other) === "wrong" ? 0 : 1));
}

/** Classes with more answers than right ones, or, where nothing is known, than their shares sum to. */
function findPlaces(app) {
  return countByClass(app)
    .map(([id, answers]) => {
      let [right, known, expected] = [0, 0, 0];
      for (let i = 0; i < app.count; i++) {
        expected += app.share(i, id);
        if (app.now[i] !== id) continue;
        const verdict = app.judge(i);
        if (verdict === "right") right++;
        if (verdict !== "open") known++;
      }
      const excess = known ? known - right : answers - expected;
      return { id, answers, right: known ? right : null, expected, excess };
    })
    .filter(({ excess }) => excess >= 1)
    .sort((one, other) => other.excess - one.excess);
}
