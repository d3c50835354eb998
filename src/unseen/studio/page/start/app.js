// The state of the page, what follows from it, and who is told.

import { Answers } from "../numbers/answers.js";
import { Attributes } from "../words/attributes.js";
import { findGroupings } from "../words/groupings.js";
import { FixedScores } from "../numbers/fixed.js";
import { History } from "../state/history.js";
import { explainLead } from "../numbers/why.js";
import { findDisplaced } from "../numbers/says.js";
import { Scorer } from "../numbers/scorer.js";
import { countVerdicts, judge, NONE, truthOf } from "../state/verdicts.js";
import { readClass } from "../words/names.js";
import { writeLink } from "../state/link.js";

export class App {
  constructor(payload, server) {
    this.payload = payload;
    this.server = server;
    const { labels, seen, vectors, active } = payload.classes;
    const width = vectors.shape[1];
    const descriptions = labels.map((_, id) => Float64Array.from(vectors.values.subarray(id * width, (id + 1) * width)));
    this.attributes = new Attributes(payload.attributes, descriptions);
    this.rows = { ...payload.rows, names: payload.rows.names.slice(), truth: payload.rows.truth.slice() };
    this.rows.pictures = payload.rows.pictures ? payload.rows.pictures.slice() : null;
    // Of the rows that were added, and once the model is refined, the labels that it has seen.
    this.keys = [];
    this.seen = null;
    // A page computes scores itself, asks a server for them, or shows those that it has.
    this.canCompute = payload.terms !== null;
    this.canEdit = this.canCompute || server.has("scores");
    // Logarithms of probabilities are tempered and penalised already.
    if (!this.canCompute) Object.assign(payload, { temperature: 1, penalty: 0 });
    this.scorer = this.canCompute
      ? new Scorer(payload.terms, this.count)
      : new FixedScores(payload.scores, active.map((id) => descriptions[id]));
    const classes = labels.map((label, id) => {
      const vector = descriptions[id];
      return { label, name: readClass(label), seen: seen[id], vector, start: vector, isNew: false };
    });
    const trusted = payload.rows.truth.some((label) => label !== null);
    this.history = new History({ classes, active, level: payload.level, marks: {}, trusted });
    this.view = { picture: 0, chosen: null, panel: "start", filter: "all", only: null, family: false, grouping: null };
    this.groupings = findGroupings(classes, this.attributes, payload.groups);
    this.listeners = [];
    this.dragging = false;
    this.rebase();
    this.view.picture = this.findFirst();
  }

  /** The first picture worth a look: one that is not clear. */
  findFirst() {
    for (let i = 0; i < this.count; i++) if (this.answers.confidence(i) < 0.6) return i;
    return 0;
  }

  get count() {
    return this.rows.names.length;
  }

  get document() {
    return this.history.now;
  }

  get hasTruth() {
    return this.rows.truth.some((label) => label !== null);
  }

  classOf(id) {
    return this.document.classes[id];
  }

  /** The place of a class among the candidates, or -1. */
  placeOf(id) {
    return this.places.get(id) ?? -1;
  }

  // What follows from the state

  /** Compute the answers at the start anew: pictures were added, or the model is another one. */
  rebase() {
    const answers = this.makeAnswers(this.history.start);
    this.before = Int32Array.from(answers.best, (at, i) =>
      answers.confidence(i) < this.history.start.level ? NONE : this.history.start.active[at],
    );
    this.startAnswers = answers;
    this.answers = null;
    this.follow();
  }

  makeAnswers(document) {
    const columns = document.active.map((id) => this.scorer.column(document.classes[id].vector));
    return new Answers(columns, this.findOffsets(document), this.payload.temperature);
  }

  /** Seen candidates among unseen ones lose the penalty of a calibrated model. */
  findOffsets({ classes, active }) {
    const seen = active.map((id) => (this.seen ? this.seen.has(classes[id].label) : classes[id].seen));
    const mixed = seen.includes(true) && seen.includes(false);
    return seen.map((isSeen) => (mixed && isSeen ? this.payload.penalty : 0));
  }

  /** Bring the answers up to date with the document, by one column where one class changed. */
  follow() {
    const { document } = this;
    if (!this.canCompute && this.answers && !this.scorer.fits(document)) {
      if (!this.dragging) this.askScores(document);
      this.countAnswers();
      return;
    }
    const last = this.followed;
    const changed =
      this.answers && last && last.active === document.active
        ? document.active.filter((id) => last.classes[id].vector !== document.classes[id].vector)
        : null;
    if (changed === null || changed.length > 1) {
      this.answers = this.makeAnswers(document);
      this.places = new Map(document.active.map((id, at) => [id, at]));
    } else if (changed.length === 1) {
      this.answers.replace(this.placeOf(changed[0]), this.scorer.column(document.classes[changed[0]].vector));
    }
    this.followed = document;
    this.countAnswers();
  }

  /** Ask the server for the scores of a document; until they are there, the page shows the last ones. */
  async askScores(document) {
    const classes = document.active.map((id) => ({ label: document.classes[id].label, description: [...document.classes[id].vector] }));
    this.trouble = "Asking the server…";
    try {
      const { scores } = await this.server.ask("scores", { classes, rows: null });
      this.trouble = "";
      // Meanwhile somebody may have gone on.
      if (document !== this.document) return;
      this.scorer.take(document, scores);
      this.answers = null;
      this.follow();
    } catch (error) {
      this.trouble = error.message;
    }
    this.tell("travelled");
  }

  /** Give every picture its answer, and count them. */
  countAnswers() {
    const { document, followed } = this;
    this.now = this.now?.length === this.count ? this.now : new Int32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      this.now[i] = this.answers.confidence(i) < document.level ? NONE : followed.active[this.answers.best[i]];
    }
    this.counts = countVerdicts(document, this.rows.truth, this.now, this.before);
  }

  judge(picture) {
    return judge(this.document, this.rows.truth, picture, this.now[picture]);
  }

  truthOf(picture) {
    return truthOf(this.document, this.rows.truth, picture);
  }

  /** The share of a class for a picture; 0 if it is not a candidate. */
  share(picture, id) {
    const at = this.placeOf(id);
    return at < 0 ? 0 : this.answers.share(picture, at);
  }

  /** The share that a class had at the start, or null if it was not a candidate. */
  shareBefore(picture, id) {
    const at = this.history.start.active.indexOf(id);
    return at < 0 ? null : this.startAnswers.share(picture, at);
  }

  /** The candidates of a picture by id, the best first. */
  rank(picture) {
    return this.answers.rank(picture).map((at) => this.followed.active[at]);
  }

  /** The picture for which the share of a class is most in doubt. */
  findContested(id) {
    let [found, most] = [this.view.picture, -1];
    for (let i = 0; i < this.count; i++) {
      const share = this.share(i, id);
      if (share * (1 - share) > most) [found, most] = [i, share * (1 - share)];
    }
    return found;
  }

  /** What each attribute adds to the lead of one description over another. */
  explain(picture, first, second) {
    return explainLead(this.scorer, picture, first, second);
  }

  /** The description as this picture displaces it, or null if the model displaces none. */
  displaced(picture, vector) {
    return findDisplaced(this.scorer.terms, picture, vector);
  }

  // What a person does

  change(document, key = null) {
    this.history.change(document, key);
    this.follow();
    this.tell("document");
  }

  settle() {
    this.history.settle();
    this.dragging = false;
    if (!this.canCompute) this.follow();
    this.tell("settled");
  }

  undo() {
    if (this.history.undo()) this.afterTravel();
  }

  redo() {
    if (this.history.redo()) this.afterTravel();
  }

  /** Whether descriptions, candidates or the level are others than at the start. */
  get isEdited() {
    const { start, now } = this.history;
    return now.classes !== start.classes || now.active !== start.active || now.level !== start.level;
  }

  /** Take back all edits; what was said of pictures stays. */
  restart() {
    const { marks, trusted } = this.document;
    this.change({ ...this.history.start, marks, trusted });
    this.afterTravel();
  }

  afterTravel() {
    this.follow();
    const { chosen } = this.view;
    if (chosen !== null && chosen >= this.document.classes.length) this.look({ chosen: null, panel: "start" });
    this.tell("travelled");
  }

  look(view) {
    Object.assign(this.view, view);
    this.tell("view");
  }

  chooseClass(id, { andPicture = false } = {}) {
    const view = { chosen: id, panel: "edit" };
    if (andPicture) view.picture = this.findContested(id);
    this.look(view);
    this.tell("class");
    // The other classes are held before a slider is touched, so that the first touch is as quick as the others.
    setTimeout(() => this.canCompute && this.placeOf(id) >= 0 && this.answers.hold(this.placeOf(id)), 50);
  }

  /** Add pictures: {name, truth, picture, terms}, and the key under which a server keeps one. */
  append(added) {
    this.scorer.append(added.map(({ terms }) => terms));
    if (added.some(({ picture }) => picture)) this.rows.pictures ??= this.rows.names.map(() => null);
    for (const { name, picture, key } of added) {
      this.keys.push(key);
      this.rows.names.push(name);
      this.rows.truth.push(null);
      this.rows.pictures?.push(picture ?? null);
    }
    this.rebase();
    this.view.picture = this.count - added.length;
    this.tell("pictures");
  }

  /** The state of the page as the last part of its address. */
  link() {
    return writeLink(this.document, this.history.start, this.view);
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  /** Tell listeners once, before the next frame, what happened since the last. */
  tell(what) {
    if (this.news) {
      this.news.add(what);
      return;
    }
    this.news = new Set([what]);
    requestAnimationFrame(() => {
      const { news } = this;
      this.news = null;
      for (const listener of this.listeners) listener(news);
    });
  }
}
