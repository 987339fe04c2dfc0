/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

type Child = Node | string;
type Properties = Readonly<Record<string, string | boolean | ((event: Event) => void)>>;

/** Creates an element with attributes, listeners (`onclick: …`) and children. Text is never parsed as HTML. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(key.replace(/^on/, ''), value);
    else if (typeof value === 'boolean') element.toggleAttribute(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}
