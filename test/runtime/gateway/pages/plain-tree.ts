/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

const blocks = new Set([
  ...['div', 'p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'hr', 'table', 'thead', 'tbody', 'tr'],
  ...['th', 'td', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);

/**
 * Elements as text, without what the page decides for itself: links in place of images, text in place of
 * links that lead nowhere outside, titles of links, line breaks between blocks.
 */
export function toPlainTree(root: Element): string {
  return [...root.childNodes].map(nodeOf).join('');
}

const elementType = 1;
const textType = 3;

/** Comments and instructions of raw HTML only have their type. */
function nodeOf(node: Node): string {
  if (node.nodeType === textType) return textOf(node);
  return node.nodeType === elementType ? elementOf(node as Element) : `<${node.nodeName}>`;
}

function textOf(node: Node): string {
  const text = (node.textContent ?? '').replaceAll('<', '&lt;');
  if (node.parentElement?.closest('pre')) return text;
  const [before, after] = [node.previousSibling, node.nextSibling];
  const isAtStart =
    before === null ? isBlock(node.parentElement) : isBlock(before) || isBreak(before);
  const isAtEnd = after === null ? isBlock(node.parentElement) : isBlock(after);
  const trimmed = isAtStart ? text.trimStart() : text;
  return isAtEnd ? trimmed.trimEnd() : trimmed;
}

function isBlock(node: Node | null): boolean {
  return node !== null && blocks.has(node.nodeName.toLowerCase());
}

function isBreak({ nodeName }: Node): boolean {
  return ['BR', 'INPUT'].includes(nodeName.toUpperCase());
}

function elementOf(element: Element): string {
  const name = element.localName;
  const inner = toPlainTree(element);
  switch (name) {
    case 'div':
      return inner;
    case 'a':
      return linked(element.getAttribute('href') ?? '', inner);
    case 'span':
      return inner;
    case 'img':
      return image(element);
    case 'pre':
      return `<pre>${inner.replace(/\n+(?=<\/code>)/, '')}</pre>`;
    case 'code':
      return `<code${languageOf(element)}>${inner}</code>`;
    case 'del':
      return `<s>${inner}</s>`;
    case 'input':
      return `<task ${element.hasAttribute('checked')}>`;
    default:
      return `<${name}${factsOf(element)}>${inner}</${name}>`;
  }
}

function linked(address: string, inner: string): string {
  return /^(https?:|mailto:)/i.test(address) ? `<a ${address}>${inner}</a>` : inner;
}

function image(element: Element): string {
  const [address, alternative] = ['src', 'alt'].map((name) => element.getAttribute(name) ?? '');
  const inner = alternative || address || '';
  return element.closest('a') ? inner : linked(address ?? '', inner);
}

function languageOf(element: Element): string {
  const language = element.getAttribute('data-language') ?? '';
  const named = /(?:^|\s)language-(\S+)/.exec(element.getAttribute('class') ?? '')?.[1] ?? '';
  return language || named ? ` ${language || named}` : '';
}

function factsOf(element: Element): string {
  const start = element.getAttribute('start');
  const align =
    element.getAttribute('align') ??
    /text-align:\s*(\w+)/.exec(element.getAttribute('style') ?? '')?.[1];
  return `${start === null ? '' : ` ${start}`}${align ? ` ${align}` : ''}`;
}
