/// <reference lib="dom" />
import type { Token } from 'markdown-it';
import type { Source } from '../../../../client/index.ts';
import { toCitations } from './citations.ts';
import { h } from './elements.ts';
import { enhance } from './enhance.ts';
import { HeadingLevels, type Headings } from './heading-levels.ts';
import { type MarkdownBlock, MarkdownBlocks } from './markdown-blocks.ts';
import { patch } from './patch.ts';

/**
 * Shows Markdown as elements. They are built from the tokens of a parser, so no text becomes HTML. While the text grows, only
 * the new parts of its last block change.
 */
export class MarkdownView {
  readonly #element: HTMLElement;
  readonly #blocks = new MarkdownBlocks();
  readonly #headings = new HeadingLevels();
  /** What is shown, if it is complete. */
  #complete: { readonly text: string; readonly sources: readonly Source[] } | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  update(
    text: string,
    { isComplete, sources }: { isComplete: boolean; sources: readonly Source[] },
  ): void {
    const known = this.#complete;
    if (isComplete && known?.text === text && known.sources === sources) return;
    this.#complete = isComplete ? { text, sources } : undefined;
    // Colours and buttons are not part of the text, so its elements cannot be changed into others.
    if (known) this.#element.replaceChildren();
    const { kept, blocks } = this.#blocks.next(text, isComplete);
    const headings = this.#headings.next(kept, blocks);
    const elements = blocks.flatMap((block) => {
      const fragment = render(block, headings);
      toCitations(fragment, sources);
      return [...fragment.childNodes];
    });
    patch(this.#element, elements, kept);
    if (isComplete) enhance(this.#element);
  }
}

/** A loop, not a recursion, because model output can be nested to any depth. */
function render(tokens: MarkdownBlock, headings: Headings): DocumentFragment {
  const root = document.createDocumentFragment();
  const parents: Node[] = [root];
  for (const token of tokens) {
    if (token.hidden) continue;
    const parent = parents.at(-1) ?? root;
    if (token.nesting === -1) parents.pop();
    else if (token.nesting === 0) parent.appendChild(leaf(token, parents, headings));
    else parents.push(open(token, parent, headings));
  }
  return root;
}

const names = [
  ...(['p', 'ul', 'ol', 'li', 'blockquote', 'thead', 'tbody', 'tr', 'th', 'td'] as const),
  ...(['strong', 'em', 's'] as const),
];
/**
 * The direction of a block follows its first letter, and so do its list marks, its columns and the bar of a quote. What it
 * contains must not have a `dir`, because then its letters do not count; the style sheet gives each line its own direction.
 */
const directionOf = ({ level }: Token) => (level === 0 ? { dir: 'auto' } : {});

/** Adds the element that a token opens to its parent. Returns the element for the content that follows. */
function open(token: Token, parent: Node, headings: Headings): Node {
  if (token.type === 'link_open') return parent.appendChild(link(attribute(token, 'href')));
  if (token.type === 'table_open') {
    const table = h('table');
    parent.appendChild(h('div', { class: 'table', ...directionOf(token) }, table));
    return table;
  }
  const name = headings(token) ?? names.find((each) => each === token.tag) ?? 'span';
  const element = h(name, name === 'span' ? {} : directionOf(token));
  const start = attribute(token, 'start');
  if (start !== '') element.setAttribute('start', start);
  const [, align] = /^text-align:(left|center|right)$/.exec(attribute(token, 'style')) ?? [];
  if (align !== undefined) element.style.textAlign = align;
  parent.appendChild(element);
  const task = token.meta?.['task'];
  if (typeof task === 'boolean') {
    element.classList.add('task');
    element.append(
      h('input', { type: 'checkbox', disabled: true, checked: task, 'aria-label': 'Task' }),
    );
  }
  return element;
}

function leaf(token: Token, parents: readonly Node[], headings: Headings): Node {
  const { type, content } = token;
  switch (type) {
    case 'inline':
      return render(token.children ?? [], headings);
    case 'code_inline':
      return h('code', {}, content);
    case 'fence':
    case 'code_block':
      return codeBlock(content, token.info);
    case 'hr':
      return h('hr');
    case 'hardbreak':
      return h('br');
    case 'softbreak':
      return document.createTextNode('\n');
    case 'image':
      return image(token, parents);
    case 'math':
      return formula(token);
    default:
      return document.createTextNode(content);
  }
}

function codeBlock(content: string, info: string): HTMLElement {
  const code = h('code', {}, content.replace(/\n$/, ''));
  const [language = ''] = info.trim().split(/\s+/);
  if (language !== '') code.dataset['language'] = language;
  return h('pre', { dir: 'ltr' }, code);
}

/** TeX, until a library for formulas is loaded. */
function formula({ content, markup, block }: Token): HTMLElement {
  const classes = block ? 'math display' : 'math';
  const element = h(
    block ? 'div' : 'span',
    { class: classes, dir: 'ltr' },
    `${markup}${content}${markup}`,
  );
  element.dataset['tex'] = content;
  return element;
}

/** The page does not load external images; it links to them. */
function image(token: Token, parents: readonly Node[]): Node {
  const address = attribute(token, 'src');
  const alternative = textOf(token) || address;
  const isLinked = parents.some(({ nodeName }) => nodeName === 'A');
  if (isLinked) return document.createTextNode(alternative);
  const element = link(address);
  element.append(alternative);
  return element;
}

/** Text without marks. */
function textOf({ children, content }: Token): string {
  return children?.map(textOf).join('') ?? content;
}

/** A link for external addresses; any other address stays text. */
function link(address: string): HTMLElement {
  if (!/^(https?:|mailto:)/i.test(address)) return h('span', { title: address });
  return h('a', { href: address, target: '_blank', rel: 'noopener noreferrer' });
}

function attribute({ attrs }: Token, name: string): string {
  return String(attrs?.find(([key]) => key === name)?.[1] ?? '');
}
