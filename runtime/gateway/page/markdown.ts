/// <reference lib="dom" />
import { h } from './dom.ts';
import { renderInline } from './markdown-inline.ts';

/**
 * The Markdown that answers are written in, as elements. Nothing of the text becomes HTML, so nothing in it can act;
 * a text that still grows renders as what it is so far.
 */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const lines = text.replaceAll('\r', '').split('\n');
  let at = 0;
  while (at < lines.length) {
    const block = readBlock(lines, at);
    if (block.element) fragment.append(block.element);
    at = block.next;
  }
  return fragment;
}

type Read = { readonly element?: HTMLElement; readonly next: number };

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { next: at + 1 };
  const fence = /^ {0,3}(```+|~~~+)\s*([\w+-]*)/.exec(line);
  if (fence) return readFence(lines, at, { mark: fence[1] ?? '', language: fence[2] ?? '' });
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return { element: toHeading(heading[1] ?? '', heading[2] ?? ''), next: at + 1 };
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return { element: h('hr'), next: at + 1 };
  if (isTableHead(lines, at)) return readTable(lines, at);
  if (listMark.test(line)) return readList(lines, at);
  if (/^ {0,3}>/.test(line)) return readQuote(lines, at);
  return readParagraph(lines, at);
}

function readFence(
  lines: readonly string[],
  at: number,
  fence: { mark: string; language: string },
): Read {
  const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(fence.mark));
  const stop = end === -1 ? lines.length : end;
  const code = h('code', {}, lines.slice(at + 1, stop).join('\n'));
  if (fence.language !== '') code.dataset['language'] = fence.language;
  return { element: h('pre', {}, code), next: stop + 1 };
}

/** The page has its own first headings; those of a text begin below them. */
function toHeading(marks: string, text: string): HTMLElement {
  const names = ['h3', 'h4', 'h5', 'h6'] as const;
  const heading = h(names[Math.min(marks.length, names.length) - 1] ?? 'h6');
  heading.append(renderInline(text));
  return heading;
}

const listMark = /^(\s*)([-*+]|\d{1,9}[.)])\s+/;

function readList(lines: readonly string[], at: number): Read {
  const { start, indent = 0 } = listItem(lines[at]) ?? {};
  const list = start === undefined ? h('ul') : h('ol', { start });
  let next = at;
  for (
    let item = listItem(lines[at]);
    item && item.indent >= indent;
    item = listItem(lines[next])
  ) {
    const inner = item.indent > indent ? readList(lines, next) : undefined;
    if (inner?.element) list.lastElementChild?.append(inner.element);
    else list.append(toListItem(item.text));
    next = inner?.next ?? next + 1;
  }
  return { element: list, next };
}

/** `start`: the number of an ordered item. */
function listItem(
  line = '',
): { indent: number; start: string | undefined; text: string } | undefined {
  const [whole, indent = '', mark = ''] = listMark.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const start = /^\d+/.exec(mark)?.[0];
  return { indent: indent.length, start, text: line.slice(whole.length) };
}

function toListItem(text: string): HTMLElement {
  const item = h('li');
  item.append(renderInline(text));
  return item;
}

function readQuote(lines: readonly string[], at: number): Read {
  const end = lines.findIndex((line, index) => index > at && !/^ {0,3}>/.test(line));
  const stop = end === -1 ? lines.length : end;
  const inner = lines.slice(at, stop).map((line) => line.replace(/^ {0,3}> ?/, ''));
  const quote = h('blockquote');
  quote.append(renderMarkdown(inner.join('\n')));
  return { element: quote, next: stop };
}

function readParagraph(lines: readonly string[], at: number): Read {
  let next = at + 1;
  while (next < lines.length && !startsBlock(lines, next)) next += 1;
  const paragraph = h('p');
  lines.slice(at, next).forEach((line, index) => {
    if (index > 0) paragraph.append(/ {2}$/.test(lines[at + index - 1] ?? '') ? h('br') : ' ');
    paragraph.append(renderInline(line.trim()));
  });
  return { element: paragraph, next };
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  return (
    line.trim() === '' ||
    /^ {0,3}(```|~~~|#{1,6} |>)/.test(line) ||
    listMark.test(line) ||
    isTableHead(lines, at)
  );
}

function isTableHead(lines: readonly string[], at: number): boolean {
  const rule = lines[at + 1] ?? '';
  return (
    (lines[at] ?? '').includes('|') &&
    /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(rule) &&
    rule.includes('-')
  );
}

function readTable(lines: readonly string[], at: number): Read {
  const aligns = cells(lines[at + 1] ?? '').map(toAlign);
  const body = h('tbody');
  let next = at + 2;
  while (next < lines.length && (lines[next] ?? '').includes('|')) {
    body.append(toRow('td', cells(lines[next] ?? ''), aligns));
    next += 1;
  }
  const head = h('thead', {}, toRow('th', cells(lines[at] ?? ''), aligns));
  return { element: h('div', { class: 'table' }, h('table', {}, head, body)), next };
}

function toRow(
  name: 'td' | 'th',
  texts: readonly string[],
  aligns: readonly string[],
): HTMLElement {
  const row = h('tr');
  texts.forEach((text, index) => {
    const cell = h(name, { style: `text-align: ${aligns[index] ?? 'left'}` });
    cell.append(renderInline(text));
    row.append(cell);
  });
  return row;
}

function cells(line: string): readonly string[] {
  const inner = line.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function toAlign(rule: string): string {
  if (!rule.endsWith(':')) return 'left';
  return rule.startsWith(':') ? 'center' : 'right';
}
