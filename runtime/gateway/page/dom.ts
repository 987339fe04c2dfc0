/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

type Child = Node | string;
type Properties = Readonly<Record<string, string | boolean | ((event: Event) => void)>>;

/** An element with attributes, listeners (`onclick: …`) and children. Text is always text. */
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

export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no #${id}`);
}

export type View<Value> = { readonly element: HTMLElement; update(value: Value): void };

/**
 * Shows a list of keyed values as elements of `parent`: new ones appear in place, changed ones are updated, gone ones
 * are removed, and whatever a person has opened, selected or scrolled stays as it is.
 */
export class KeyedList<Value extends { readonly key: string }> {
  readonly #parent: HTMLElement;
  readonly #create: (value: Value) => View<Value>;
  readonly #shown = new Map<string, { readonly view: View<Value>; value: Value }>();

  constructor(parent: HTMLElement, create: (value: Value) => View<Value>) {
    this.#parent = parent;
    this.#create = create;
  }

  show(values: readonly Value[]): void {
    const wanted = new Set(values.map(({ key }) => key));
    for (const [key, { view }] of this.#shown) {
      if (wanted.has(key)) continue;
      view.element.remove();
      this.#shown.delete(key);
    }
    let at = this.#parent.firstElementChild;
    for (const value of values) {
      const { element } = this.#viewOf(value);
      if (at === element) at = element.nextElementSibling;
      else this.#parent.insertBefore(element, at);
    }
  }

  #viewOf(value: Value): View<Value> {
    const shown = this.#shown.get(value.key);
    if (!shown) {
      const view = this.#create(value);
      this.#shown.set(value.key, { view, value });
      view.update(value);
      return view;
    }
    if (shown.value !== value) {
      shown.value = value;
      shown.view.update(value);
    }
    return shown.view;
  }
}
