import type { ChannelFormat } from '../protocol/channel.ts';
import { TokenReplacer } from './citation-tokens.ts';

export type CitedSource = { readonly title: string; readonly url: string };
/** Undefined: the source does not exist and is left out. */
export type ResolveSource = (sid: number) => CitedSource | undefined;

export interface CitationReplacer {
  push(text: string): string;
  /** Returns the text that was held back. */
  end(): string;
}

/**
 * Turns citation tokens into links while the text streams: Markdown and text get `[title](url)`, HTML gets a `<sup>`,
 * JSON is not changed. Usage tokens are removed. Tokens in Markdown code and in HTML tags are plain text.
 * Holds back only text that may still become a token.
 */
export function createCitationReplacer({
  resolve,
  format = 'markdown',
}: {
  readonly resolve: ResolveSource;
  readonly format?: ChannelFormat;
}): CitationReplacer {
  if (format === 'json') return { push: (text) => text, end: () => '' };
  const isHtml = format === 'html';
  const link = isHtml ? toSup : toLinks;
  return new TokenReplacer(
    ({ kind, sids }) => {
      const sources = sids.flatMap((sid) => ({ sid, ...resolve(sid) }));
      return kind === 'usage' ? '' : link(sources.filter(isFound));
    },
    isHtml ? 'html' : 'markdown',
  );
}

/** A whole text with its citations as links; the result is the same as for a stream. */
export function replaceCitations(
  text: string,
  resolve: ResolveSource,
  format: ChannelFormat = 'markdown',
): string {
  const replacer = createCitationReplacer({ resolve, format });
  return replacer.push(text) + replacer.end();
}

/** The sources that a text names in citations and usage tokens, each once, in order. */
export function citationsIn(text: string, format?: 'markdown' | 'html'): readonly number[] {
  const found = new Set<number>();
  const replacer = new TokenReplacer(({ sids }) => {
    for (const sid of sids) found.add(sid);
    return '';
  }, format);
  replacer.push(text);
  return [...found];
}

type Found = CitedSource & { readonly sid: number };

function isFound(source: { readonly sid: number } & Partial<CitedSource>): source is Found {
  return source.title !== undefined && source.url !== undefined;
}

function toLinks(sources: readonly Found[]): string {
  return sources
    .map(({ title, url }) => {
      const text = titleOf({ title, url }).replace(/[\\[\]`*_<>]/g, '\\$&');
      return isSafe(url) ? `[${text}](${url.replace(/[\s()<>\\]/g, percent)})` : text;
    })
    .join(' ');
}

/** The Markdown link of one source. Not a link: its address is not safe to open. */
export function citationLink(source: CitedSource): string {
  return toLinks([{ sid: 0, ...source }]);
}

function toSup(sources: readonly Found[]): string {
  if (sources.length === 0) return '';
  const links = sources.map(({ sid, title, url }) => {
    const name = escapeHtml(titleOf({ title, url }));
    if (!isSafe(url)) return `<span title="${name}">${sid}</span>`;
    return `<a href="${escapeHtml(url)}" title="${name}">${sid}</a>`;
  });
  const sids = sources.map(({ sid }) => sid).join(',');
  return `<sup class="cite" data-sids="${sids}">${links.join(', ')}</sup>`;
}

function titleOf({ title, url }: CitedSource): string {
  const line = title.replace(/\s+/g, ' ').trim();
  return line === '' ? url : line;
}

/** Sources are untrusted: only addresses of pages, mail and files become links. */
function isSafe(url: string): boolean {
  return /^(https?:\/\/|mailto:|fi:|\/)/i.test(url);
}

/** Like `encodeURIComponent`, but also encodes parentheses, which would end the link. */
function percent(char: string): string {
  if (char === '(') return '%28';
  return char === ')' ? '%29' : encodeURIComponent(char);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
