// The scores of a model that the page cannot compute: those that came with it, for the candidates as they are.

export class FixedScores {
  constructor({ shape: [, count], values }, vectors) {
    this.count = count;
    this.columns = new Map(vectors.map((vector, at) => [vector, values.subarray(at * count, (at + 1) * count)]));
  }

  column(vector) {
    return this.columns.get(vector);
  }
}
