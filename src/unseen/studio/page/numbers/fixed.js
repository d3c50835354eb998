// The scores of a model that the page cannot compute: logarithms of probabilities among certain candidates, as Python
// gave them. Others have to be asked for, because they may depend on which candidates there are.

export class FixedScores {
  constructor({ shape: [, count], values }, vectors) {
    this.count = count;
    this.columns = new Map(vectors.map((vector, at) => [vector, values.subarray(at * count, (at + 1) * count)]));
  }

  column(vector) {
    return this.columns.get(vector);
  }

  /** Whether these are the scores of the candidates of a document, and of no others. */
  fits({ classes, active }) {
    return active.length === this.columns.size && active.every((id) => this.columns.has(classes[id].vector));
  }

  /** Take other scores, one list for each candidate of a document. */
  take({ classes, active }, scores) {
    this.columns = new Map(active.map((id, at) => [classes[id].vector, Float64Array.from(scores[at])]));
  }
}
