// Names as people read them.

/** "012.Yellow_headed_Blackbird" is "Yellow headed Blackbird". */
export function readClass(label) {
  const text = label.replace(/^\d+\.(?=\D)/, "").replace(/[_+]+/g, " ").trim();
  return text || label;
}

const SEPARATORS = ["::", "=", ": ", " is "];

/** Return {part, value} of the name of an attribute: "has_bill_shape::dagger" is the value "dagger" of "bill shape". */
export function readAttribute(name) {
  for (const separator of SEPARATORS) {
    const at = name.indexOf(separator);
    if (at > 0 && at + separator.length < name.length) {
      return { part: readWords(name.slice(0, at)), value: readWords(name.slice(at + separator.length)) };
    }
  }
  return { part: "", value: readWords(name) };
}

function readWords(text) {
  return text.replace(/^has[_ ]/, "").replace(/[_+]+/g, " ").trim();
}

/** Begin with a capital. */
export function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Say how many: count(1, "picture") is "1 picture", count(2, "picture") "2 pictures". */
export function count(number, noun) {
  const plural = noun.endsWith("s") ? `${noun}es` : noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** A share as whole per cent; one that is not 0 or 1 is not written as such. */
export function percent(share) {
  if (share > 0 && share < 0.005) return "<1%";
  if (share < 1 && share >= 0.995) return ">99%";
  return `${Math.round(100 * share)}%`;
}
