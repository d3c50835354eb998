// The document now, and those before and after it.

const MOST = 300;

export class History {
  constructor(document) {
    this.start = this.now = document;
    this.past = [];
    this.future = [];
    this.key = null;
  }

  /** Go on to another document; changes in a row with the same key are one step. */
  change(document, key = null) {
    if (document === this.now) return;
    if (key === null || key !== this.key) this.past = [...this.past.slice(-MOST), this.now];
    this.key = key;
    this.now = document;
    this.future = [];
  }

  /** End a step, so that the next change begins another one. */
  settle() {
    this.key = null;
  }

  undo() {
    if (!this.past.length) return false;
    this.future = [this.now, ...this.future];
    this.now = this.past.at(-1);
    this.past = this.past.slice(0, -1);
    this.settle();
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past = [...this.past, this.now];
    this.now = this.future[0];
    this.future = this.future.slice(1);
    this.settle();
    return true;
  }
}
