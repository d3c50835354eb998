// Make and fill elements.

/** Make an element: h("button.small", {type: "button", onclick}, "text", child). */
export function h(kind, properties = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  set(element, properties);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set properties: functions become listeners, the rest attributes; null and false take an attribute away. */
export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === null || value === false || value === undefined) element.removeAttribute(name);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

/** Set a text, if it is another one. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set a class or take it away. */
export function mark(element, name, is) {
  element.classList.toggle(name, Boolean(is));
}

/** Show or hide. */
export function show(element, is) {
  element.hidden = !is;
}

/** Set a custom property, if it is another one. */
export function style(element, name, value) {
  if (element.style.getPropertyValue(name) !== String(value)) element.style.setProperty(name, value);
}

/** Bring a list to a number of children, reusing those it has, and fill each. */
export function fillList(list, count, make, fill) {
  while (list.children.length > count) list.lastElementChild.remove();
  while (list.children.length < count) list.append(make());
  for (let at = 0; at < count; at++) fill(list.children[at], at);
}

/** Find a part of an element by its class, once. */
export function part(element, name) {
  const parts = (element.parts ??= {});
  return (parts[name] ??= element.querySelector(`.${name}`));
}
