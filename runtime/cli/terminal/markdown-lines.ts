import { styleText } from 'node:util';
import MarkdownIt, { type Token } from 'markdown-it';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { textColumnsMin } from './limits.ts';

type Style = Parameters<typeof styleText>[0];
export type Page = {
  readonly width: number;
  readonly colour: boolean;
  /** Numbers of the addresses that links refer to; new ones are added. */
  readonly links: Map<string, number>;
  /** Titles of sources by address: a link to one is a citation, of which only the number is shown. */
  readonly sources: ReadonlyMap<string, string>;
};

const parser = new MarkdownIt({ html: false, linkify: true });

/** The line at which the last block begins; 0 if there are not two. */
export function lastBlockLine(source: string): number {
  const starts = parser
    .parse(source, {})
    .flatMap(({ level, map }) => (level === 0 && map ? map[0] : []));
  return starts.at(-1) ?? 0;
}

/** Markdown as lines for a terminal of a given width. */
export function markdownLines(source: string, page: Page): readonly string[] {
  return blocks(parser.parse(source, {}), page);
}

/** The tokens of one block: one alone, or an opening token, its content and its closing token. */
type Group = readonly [Token, ...Token[]];

function groups(tokens: readonly Token[]): readonly Group[] {
  const found: Group[] = [];
  for (let at = 0; at < tokens.length; ) {
    const [first] = tokens.slice(at, at + 1);
    if (!first) break;
    const closes = ({ level, nesting }: Token) => nesting === -1 && level === first.level;
    const end =
      first.nesting === 1 ? tokens.findIndex((each, index) => index > at && closes(each)) : at;
    found.push([first, ...tokens.slice(at + 1, end + 1)]);
    at = end + 1;
  }
  return found;
}

function inside(group: Group): readonly Token[] {
  return group.slice(1, -1);
}

function blocks(tokens: readonly Token[], page: Page): readonly string[] {
  const shown = groups(tokens)
    .map((group) => block(group, page))
    .filter((lines) => lines.length > 0);
  return shown.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function block(group: Group, page: Page): readonly string[] {
  const [{ type, content }] = group;
  switch (type) {
    case 'heading_open':
      return wrapped(paint(text(inside(group), page), { style: 'bold', page }), page);
    case 'paragraph_open':
      return wrapped(text(inside(group), page), page);
    case 'fence':
    case 'code_block':
      return marked(content.trimEnd().split('\n'), { mark: '│ ', page });
    case 'blockquote_open':
      return marked(blocks(inside(group), narrower(page, 2)), { mark: '▏ ', page });
    case 'bullet_list_open':
    case 'ordered_list_open':
      return list(group, page);
    case 'table_open':
      return table(group, page);
    case 'hr':
      return ['─'.repeat(Math.min(page.width, 40))];
    default:
      return wrapped(content.trimEnd(), page);
  }
}

function list(group: Group, page: Page): readonly string[] {
  const [open] = group;
  const first = Number(open.attrGet('start') ?? 1);
  const items = groups(inside(group));
  // A tight list hides the paragraphs of its items.
  const isLoose = items.some((item) => inside(item).some((each) => isLooseText(each, open)));
  const shown = items.map((item, index) => {
    const bullet = open.type === 'ordered_list_open' ? `${first + index}. ` : '• ';
    const inner = narrower(page, bullet.length);
    const parts = groups(inside(item)).map((part) => block(part, inner));
    const lines = parts.flatMap((part, at) => (isLoose && at > 0 ? ['', ...part] : part));
    const [head = '', ...rest] = lines;
    return [
      `${bullet}${head}`.trimEnd(),
      ...rest.map((line) => `${' '.repeat(bullet.length)}${line}`),
    ];
  });
  return shown.flatMap((lines, index) => (isLoose && index > 0 ? ['', ...lines] : lines));
}

function isLooseText({ type, level, hidden }: Token, list: Token): boolean {
  return type === 'paragraph_open' && level === list.level + 2 && !hidden;
}

/** Columns side by side; if they do not fit, one line per cell. */
function table(group: Group, page: Page): readonly string[] {
  const rows = groups(inside(group))
    .flatMap((part) => groups(inside(part)))
    .map((row) => groups(inside(row)).map((cell) => text(inside(cell), page)));
  const [titles = [], ...cells] = rows;
  const widths = titles.map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  const total = widths.reduce((sum, width) => sum + width + 2, -2);
  if (total > page.width) {
    return cells.flatMap((row, index) => [
      ...(index === 0 ? [] : ['']),
      ...row.flatMap((cell, column) => wrapped(`${titles[column]}: ${cell}`, page)),
    ]);
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [paint(line(titles), { style: 'bold', page }), rule, ...cells.map(line)];
}

const spanStyles: Readonly<Record<string, Style>> = {
  strong_open: 'bold',
  em_open: 'italic',
  s_open: 'strikethrough',
};

/** The text inside a block, with its spans. */
function text(tokens: readonly Token[], page: Page): string {
  return tokens.map(({ children }) => spans(children ?? [], page)).join('');
}

function spans(tokens: readonly Token[], page: Page): string {
  return groups(tokens)
    .map((group) => span(group, page))
    .join('');
}

function span(group: Group, page: Page): string {
  const [first] = group;
  const style = spanStyles[first.type];
  if (style !== undefined) return paint(spans(inside(group), page), { style, page });
  switch (first.type) {
    case 'link_open':
      return link(spans(inside(group), page), String(first.attrGet('href')), page);
    case 'image':
      return link(first.content, String(first.attrGet('src')), page);
    case 'code_inline':
      return paint(first.content, { style: 'cyan', page });
    case 'softbreak':
      return ' ';
    case 'hardbreak':
      return '\n';
    default:
      return first.content;
  }
}

/** Addresses are long: a link shows its number, and the addresses stand below the text. */
function link(label: string, href: string, page: Page): string {
  if (href.endsWith(label)) return paint(label, { style: 'underline', page });
  const number = page.links.get(href) ?? page.links.size + 1;
  page.links.set(href, number);
  const shown = paint(`[${number}]`, { style: 'cyan', page });
  return page.sources.has(href) ? shown : `${paint(label, { style: 'underline', page })} ${shown}`;
}

function marked(
  lines: readonly string[],
  { mark, page }: { readonly mark: string; readonly page: Page },
): readonly string[] {
  const inner = narrower(page, mark.length);
  const bar = paint(mark, { style: 'dim', page });
  return lines.flatMap((line) =>
    wrapAnsi(line, inner.width, { hard: true, trim: false })
      .split('\n')
      .map((part) => `${bar}${part}`),
  );
}

function wrapped(source: string, { width }: Page): readonly string[] {
  return wrapAnsi(source, width, { hard: true }).split('\n');
}

function narrower(page: Page, by: number): Page {
  return { ...page, width: Math.max(textColumnsMin, page.width - by) };
}

function pad(cell: string, width: number): string {
  return `${cell}${' '.repeat(Math.max(0, width - stringWidth(cell)))}`;
}

function paint(
  plain: string,
  { style, page }: { readonly style: Style; readonly page: Page },
): string {
  return page.colour && plain !== '' ? styleText(style, plain, { validateStream: false }) : plain;
}
