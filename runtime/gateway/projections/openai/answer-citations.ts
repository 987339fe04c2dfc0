import type { Json, JsonObject } from '../../../base/json.ts';
import { type CitedSource, citationLink } from '../../../channels/citations/citations.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';

/** A link in an answer. Indexes count Unicode characters. */
export type UrlCitation = {
  readonly start_index: number;
  readonly end_index: number;
  readonly url: string;
  readonly title: string;
};

/** Finds the citations of a turn in its answers, where they are Markdown links. */
export class AnswerCitations {
  readonly #sources = new Map<number, CitedSource>();

  /** The items of `chat.citations`, or the `sources` of an answer. */
  learn(items: Json | undefined): void {
    for (const { sid, title, url } of (Array.isArray(items) ? items : []).map(objectOf)) {
      if (typeof sid !== 'number' || typeof url !== 'string') continue;
      this.#sources.set(sid, { title: textOf(title), url });
    }
  }

  /** The links to sources in a text, in its order. `after`: characters before the text. */
  in(text: string, after: number): readonly UrlCitation[] {
    const sources = [...this.#sources.values()];
    const found = new Map(sources.flatMap((source) => placesOf(source, { text, after })));
    return [...found.values()].sort((a, b) => a.start_index - b.start_index);
  }
}

type Place = readonly [number, UrlCitation];

/** By the number of the first character: sources with the same address and title are one. */
function placesOf(
  source: CitedSource,
  { text, after }: { readonly text: string; readonly after: number },
): readonly Place[] {
  const link = citationLink(source);
  // A source without an address that is safe to open is plain text.
  if (!link.startsWith('[')) return [];
  const places: Place[] = [];
  for (let at = text.indexOf(link); at >= 0; at = text.indexOf(link, at + link.length)) {
    const start_index = after + charactersOf(text.slice(0, at));
    const end_index = start_index + charactersOf(link);
    places.push([
      at,
      { start_index, end_index, url: source.url, title: source.title || source.url },
    ]);
  }
  return places;
}

export function charactersOf(text: string): number {
  return [...text].length;
}

/** As Responses and Chat Completions write it. */
export function responseAnnotation(citation: UrlCitation): JsonObject {
  return { type: 'url_citation', ...citation };
}

export function chatAnnotations(citations: readonly UrlCitation[]): JsonObject {
  if (citations.length === 0) return {};
  return { annotations: citations.map((each) => ({ type: 'url_citation', url_citation: each })) };
}
