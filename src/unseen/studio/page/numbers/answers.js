// The answer for every picture among the candidates, and the share of each candidate.

/** Answers for all pictures; when one column changes, the others are held, so that a change takes O(n). */
export class Answers {
  /**
   * @param {Float64Array[]} columns scores of all pictures, one array for each candidate
   * @param {number[]} offsets what is subtracted from the scores of each candidate
   * @param {number} temperature of the soft maximum
   */
  constructor(columns, offsets, temperature) {
    this.columns = columns.slice();
    this.offsets = offsets;
    this.temperature = temperature;
    this.count = columns.length ? columns[0].length : 0;
    this.best = new Int32Array(this.count);
    this.top = new Float64Array(this.count);
    this.sum = new Float64Array(this.count);
    this.held = null;
    findTop(this, -1, this);
  }

  /** Replace the scores of one candidate. */
  replace(at, column) {
    if (!this.held || this.held.at !== at) this.hold(at);
    this.columns[at] = column;
    const { best, top, sum } = this.held;
    const offset = this.offsets[at];
    for (let i = 0; i < this.count; i++) {
      const score = column[i] - offset;
      const wins = score > top[i] || (score === top[i] && at < best[i]);
      const highest = wins ? score : top[i];
      this.best[i] = wins ? at : best[i];
      this.top[i] = highest;
      this.sum[i] =
        sum[i] * Math.exp((top[i] - highest) / this.temperature) + Math.exp((score - highest) / this.temperature);
    }
  }

  hold(at) {
    const count = this.count;
    this.held = { at, best: new Int32Array(count), top: new Float64Array(count), sum: new Float64Array(count) };
    findTop(this, at, this.held);
  }

  /** Return the share (probability) of a candidate for a picture. */
  share(picture, at) {
    const score = this.columns[at][picture] - this.offsets[at];
    return Math.exp((score - this.top[picture]) / this.temperature) / this.sum[picture];
  }

  /** Return the share of the best candidate. */
  confidence(picture) {
    return 1 / this.sum[picture];
  }

  /** Return all candidates of a picture, the best first. */
  rank(picture) {
    const order = this.columns.map((_, at) => at);
    const score = (at) => this.columns[at][picture] - this.offsets[at];
    return order.sort((one, other) => score(other) - score(one) || one - other);
  }
}

/** Find the best candidate of every picture, its score and the sum of all exponentials, leaving one out. */
function findTop({ columns, offsets, temperature, count }, without, into) {
  into.top.fill(-Infinity);
  into.best.fill(-1);
  into.sum.fill(0);
  columns.forEach((column, at) => {
    if (at === without) return;
    for (let i = 0; i < count; i++) {
      const score = column[i] - offsets[at];
      if (score > into.top[i]) [into.top[i], into.best[i]] = [score, at];
    }
  });
  columns.forEach((column, at) => {
    if (at === without) return;
    for (let i = 0; i < count; i++) {
      into.sum[i] += Math.exp((column[i] - offsets[at] - into.top[i]) / temperature);
    }
  });
}
