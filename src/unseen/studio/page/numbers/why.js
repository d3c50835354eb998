// Take the lead of one class over another apart by attribute.

// Gauss-Legendre places and weights on 0..1, with which the integrals here are exact to many digits.
const PLACES = [0.0198550717512319, 0.101666761293187, 0.237233795041836, 0.408282678752175];
const WEIGHTS = [0.0506142681451881, 0.111190517226687, 0.156853322938944, 0.181341891689181];
const STEPS = [...PLACES.map((at, i) => [at, WEIGHTS[i]]), ...PLACES.map((at, i) => [1 - at, WEIGHTS[i]])];

// The path is cut into so many pieces, because descriptions of length 1 turn on the way.
const PIECES = 4;

/**
 * Follow the score of a picture from the description of one class to that of another, and add up what each attribute
 * brings. Attributes that both classes have alike bring nothing, and all together bring the difference of the scores.
 */
export function explainLead(scorer, picture, winner, other) {
  const parts = new Float64Array(winner.length);
  const apart = winner.map((value, j) => value - other[j]);
  for (let piece = 0; piece < PIECES; piece++) {
    for (const [place, weight] of STEPS) {
      const at = (piece + place) / PIECES;
      const slope = scorer.slope(other.map((value, j) => value + at * apart[j]), picture);
      for (let j = 0; j < parts.length; j++) parts[j] += (weight / PIECES) * slope[j] * apart[j];
    }
  }
  return parts;
}
