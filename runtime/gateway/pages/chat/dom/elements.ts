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

export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no #${id}`);
}

export type View<Value> = { readonly element: HTMLElement; update(value: Value): void };

type ShownView<Value> = { view: View<Value>; value: Value };

/**
 * Shows a list of keyed values as elements of `parent`: new ones are inserted, changed ones updated and missing ones removed.
 * Everything that a person has opened, selected or scrolled stays as it is. If a value cannot be drawn, it is shown as text
 * and the others are not affected.
 */
export class KeyedList<Value extends { readonly key: string }> {
  readonly #parent: HTMLElement;
  readonly #create: (value: Value) => View<Value>;
  readonly #shown = new Map<string, ShownView<Value>>();

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
      const known = this.#shown.get(value.key);
      // A view that fails is replaced in place, so it is drawn before its position is checked.
      const isFirst = known !== undefined && known.view.element === at;
      const { element } = this.#drawn(value, known);
      if (isFirst) at = element.nextElementSibling;
      else this.#parent.insertBefore(element, at);
    }
  }

  #drawn(value: Value, known: ShownView<Value> | undefined): View<Value> {
    if (known?.value === value) return known.view;
    try {
      const view = known?.view ?? this.#create(value);
      view.update(value);
      return this.#keep(value, view);
    } catch (error) {
      reportError(error);
      const view = viewText();
      view.update(value);
      known?.view.element.replaceWith(view.element);
      return this.#keep(value, view);
    }
  }

  #keep(value: Value, view: View<Value>): View<Value> {
    this.#shown.set(value.key, { view, value });
    return view;
  }
}

function viewText(): View<object> {
  const element = h('pre', { class: 'undrawn' });
  const update = (value: object) => {
    element.textContent = 'text' in value ? String(value.text) : JSON.stringify(value, null, 2);
  };
  return { element, update };
}
