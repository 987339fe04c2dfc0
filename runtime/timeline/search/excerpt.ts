import { wordsOf } from './word-match.ts';

export type Excerpt = {
  readonly text: string;
  /** Where words stand that begin as searched: UTF-16 units, `to` exclusive. */
  readonly marks: readonly { readonly from: number; readonly to: number }[];
};

const excerptCharsMax = 160;
/** Characters before the first marked word. */
const leadChars = 40;

/** The part of a text around the words that begin as searched, in one line. */
export function excerptOf(text: string, searched: string): Excerpt {
  const wanted = wordsOf(searched);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const found = marksIn(line, wanted);
  const from = leadingSpace(line, (found[0]?.from ?? 0) - leadChars);
  const cut = line.slice(from, from + excerptCharsMax);
  const [before, after] = [
    from > 0 ? '…' : '',
    from + excerptCharsMax < line.length ? '…' : '',
  ] as const;
  const shift = before.length - from;
  const marks = found
    .map((mark) => ({ from: mark.from + shift, to: mark.to + shift }))
    .filter(({ to }) => to <= before.length + cut.length);
  return { text: `${before}${cut}${after}`, marks };
}

function marksIn(line: string, wanted: readonly string[]): Excerpt['marks'] {
  return [...line.matchAll(/[\p{L}\p{N}\p{M}]+/gu)]
    .filter(([word]) => wanted.some((each) => wordsOf(word).join('').startsWith(each)))
    .map(({ 0: word, index }) => ({ from: index, to: index + word.length }));
}

/** The beginning of the word at or after this place. */
function leadingSpace(line: string, place: number): number {
  return place <= 0 ? 0 : line.indexOf(' ', place) + 1;
}
