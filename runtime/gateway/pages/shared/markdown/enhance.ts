/// <reference lib="dom" />
import { colour } from './colour.ts';
import { h } from './elements.ts';

const copiedMs = 1_600;

/** Adds to complete Markdown what it cannot have while it grows: colours of code, buttons that copy it, and formulas. */
export function enhance(root: HTMLElement): void {
  for (const code of root.querySelectorAll('pre > code')) {
    if (code instanceof HTMLElement) enhanceCode(code);
  }
  const formulas = root.querySelectorAll<HTMLElement>('.math');
  if (formulas.length > 0) void showFormulas([...formulas]);
}

function enhanceCode(code: HTMLElement): void {
  const language = code.dataset['language'] ?? '';
  if (language !== '') void colour(code, language);
  const pre = code.parentElement;
  if (!pre || pre.parentElement?.classList.contains('code-block')) return;
  pre.tabIndex = 0;
  const block = h('div', { class: 'code-block' });
  pre.replaceWith(block);
  block.append(pre, copyButton(code));
}

function copyButton(code: HTMLElement): HTMLElement {
  const button = h('button', { type: 'button', class: 'copy-code' }, 'Copy');
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(code.textContent).then(() => {
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, copiedMs);
    });
  });
  return button;
}

async function showFormulas(formulas: readonly HTMLElement[]): Promise<void> {
  try {
    const { showFormula } = await import('./formulas.ts');
    for (const element of formulas) showFormula(element);
  } catch {
    // The library could not be loaded: the formulas stay as they were written.
  }
}
