// Which attributes of a class matter most for the pictures: the order of sliders, and the question that helps most.

// So many pictures, those that depend most on the class, stand for all.
const MOST_PICTURES = 120;

/**
 * Return for every attribute of a class how far the shares of pictures move, in sum, if it differs by one spread.
 *
 * @param {Scorer} scorer
 * @param {Float64Array} vector the description of the class
 * @param {Array} pictures [number, p (1 - p)] of each, as `findDependent` returns them
 * @param {Float64Array} spreads of each attribute over the classes
 * @param {number} temperature of the shares
 */
export function measureInfluence(scorer, vector, pictures, spreads, temperature) {
  const influence = new Float64Array(vector.length);
  for (const [picture, weight] of pictures) {
    const slope = scorer.slope(vector, picture);
    for (let j = 0; j < influence.length; j++) influence[j] += (weight * Math.abs(slope[j]) * spreads[j]) / temperature;
  }
  return influence;
}

/** Return the pictures whose share of a class moves most with its score, and p (1 - p) of each. */
export function findDependent(answers, at) {
  const found = [];
  for (let i = 0; i < answers.count; i++) {
    const share = answers.share(i, at);
    if (share > 0.001 && share < 0.999) found.push([i, share * (1 - share)]);
  }
  return found.sort((one, other) => other[1] - one[1]).slice(0, MOST_PICTURES);
}

/** Return the standard deviation of each attribute over some descriptions. */
export function measureSpreads(vectors) {
  const width = vectors[0].length;
  const spreads = new Float64Array(width);
  for (let j = 0; j < width; j++) {
    const mean = vectors.reduce((sum, vector) => sum + vector[j], 0) / vectors.length;
    spreads[j] = Math.sqrt(vectors.reduce((sum, vector) => sum + (vector[j] - mean) ** 2, 0) / vectors.length);
  }
  return spreads;
}
