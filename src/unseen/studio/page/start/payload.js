// Read the data that Python wrote into the page.

/** Turn {shape, type, data} into {shape, values}, wherever it stands in plain values. */
function decode(value) {
  if (Array.isArray(value)) return value.length && typeof value[0] === "object" ? value.map(decode) : value;
  if (value === null || typeof value !== "object") return value;
  if (typeof value.data === "string" && Array.isArray(value.shape)) return decodeArray(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, decode(part)]));
}

function decodeArray({ shape, type, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return { shape, values: type === "f4" ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer) };
}

/** Read the element that holds the data. */
export function readPayload(element) {
  const payload = decode(JSON.parse(element.textContent));
  element.remove();
  return payload;
}

/** Read what a server sent in the same form. */
export function decodeAnswer(answer) {
  return decode(answer);
}
