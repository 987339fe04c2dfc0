/// <reference lib="dom" />
import temml from 'temml';

/** Replaces TeX by MathML. A formula with a mistake stays as it was written. */
export function showFormula(element: HTMLElement): void {
  const tex = element.dataset['tex'] ?? '';
  if (tex === '' || element.querySelector('math')) return;
  const displayMode = element.classList.contains('display');
  const options = { displayMode, trust: false, throwOnError: true, maxExpand: 200 };
  const made = document.createElement('span');
  try {
    temml.render(tex, made, options);
    element.replaceChildren(...made.childNodes);
  } catch {
    element.classList.add('unreadable');
  }
}
