import createParser, { type Token } from 'markdown-it';

const parser = createParser({ html: false, linkify: false });

const inline: Readonly<Record<string, string>> = {
  strong_open: '<b>',
  strong_close: '</b>',
  em_open: '<i>',
  em_close: '</i>',
  s_open: '<s>',
  s_close: '</s>',
  link_close: '</a>',
  softbreak: '\n',
  hardbreak: '\n',
};

const block: Readonly<Record<string, string>> = {
  heading_open: '<b>',
  heading_close: '</b>\n\n',
  paragraph_close: '\n\n',
  blockquote_open: '<blockquote>',
  blockquote_close: '</blockquote>\n',
  bullet_list_close: '\n',
  ordered_list_close: '\n',
  hr: '———\n\n',
  tr_close: '\n',
  table_open: '<pre>',
  table_close: '</pre>\n',
  th_close: ' | ',
  td_close: ' | ',
};

/** Markdown as the HTML that Telegram shows: bold, italics, strike, code, links, quotes. Anything else becomes text. */
export function toTelegramHtml(markdown: string): string {
  const lists: number[] = [];
  const parts = parser.parse(markdown, {}).map((token) => blockHtml(token, lists));
  return parts
    .join('')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/\n+(<\/blockquote>)/g, '$1')
    .trim();
}

function blockHtml(token: Token, lists: number[]): string {
  const { type, content, info, hidden } = token;
  if (type === 'inline') return (token.children ?? []).map(inlineHtml).join('');
  if (type === 'fence' || type === 'code_block') return codeBlock(content, info);
  if (type === 'paragraph_close' && hidden) return '\n';
  if (type === 'list_item_open') return listMark(lists);
  countLists(token, lists);
  return block[type] ?? '';
}

/** `lists`: the number of the next item of each open list; 0: without numbers. */
function countLists(token: Token, lists: number[]): void {
  if (token.type === 'bullet_list_open') lists.push(0);
  if (token.type === 'ordered_list_open') lists.push(Number(token.attrGet('start') ?? 1));
  if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
}

function listMark(lists: number[]): string {
  const indent = '  '.repeat(Math.max(0, lists.length - 1));
  const number = lists.at(-1) ?? 0;
  if (number === 0) return `${indent}• `;
  lists[lists.length - 1] = number + 1;
  return `${indent}${number}. `;
}

function codeBlock(content: string, info: string): string {
  const [language = ''] = info.trim().split(/\s+/);
  const body = escapeHtml(content.replace(/\n$/, ''));
  if (language === '') return `<pre>${body}</pre>\n\n`;
  return `<pre><code class="language-${escapeHtml(language)}">${body}</code></pre>\n\n`;
}

function inlineHtml(token: Token): string {
  if (token.type === 'code_inline') return `<code>${escapeHtml(token.content)}</code>`;
  if (token.type === 'link_open')
    return `<a href="${escapeHtml(String(token.attrGet('href') ?? ''))}">`;
  return inline[token.type] ?? escapeHtml(token.content);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
