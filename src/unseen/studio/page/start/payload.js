// Read the data that Python wrote into the page.

/** Put arrays back in the places that name them, wherever they stand in plain values. */
function place(value, arrays) {
  if (Array.isArray(value)) return value.length && typeof value[0] === "object" ? value.map((part) => place(part, arrays)) : value;
  if (value === null || typeof value !== "object") return value;
  if (typeof value.array === "number") return arrays[value.array];
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, place(part, arrays)]));
}

function decodeArray({ shape, type, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return { shape, values: type === "f4" ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer) };
}

/** Read the element that holds the data. */
export function readPayload(element) {
  const payload = JSON.parse(element.textContent);
  element.remove();
  return decodeAnswer(payload);
}

/** Read what a server sent in the same form. */
export function decodeAnswer({ arrays, ...content }) {
  return place(content, arrays.map(decodeArray));
}
