/// <reference lib="dom" />
import type { Source } from '../../../../client/index.ts';
import { h } from './elements.ts';

/** Shows links to sources as their numbers, with a card that names the source. */
export function toCitations(root: ParentNode, sources: readonly Source[]): void {
  if (sources.length === 0) return;
  for (const link of root.querySelectorAll('a')) {
    const source = sources.find(
      ({ url, title }) => addressOf(url) === link.href && title === link.textContent,
    );
    if (source) link.replaceWith(citation(source));
  }
}

function citation({ sid, title, url, text = '' }: Source): HTMLElement {
  const attributes = { class: 'cite', href: url, target: '_blank', rel: 'noopener noreferrer' };
  const link = h('a', { ...attributes, 'aria-label': `Source ${sid}: ${title}` }, String(sid));
  const host = URL.parse(url)?.hostname ?? url;
  const card = h('span', { class: 'cite-card', 'aria-hidden': 'true' }, h('b', {}, title), host);
  if (text !== '') card.append(h('q', {}, text.slice(0, 240)));
  return h('span', { class: 'citation' }, link, card);
}

function addressOf(url: string): string {
  return URL.parse(url)?.href ?? url;
}
