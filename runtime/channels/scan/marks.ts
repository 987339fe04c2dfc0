import { mayNeedCleaning } from '../protocol/clean-text.ts';
import { mayQuote } from './quote-state.ts';
import { opensTag } from './tag-reader.ts';

/** What a text contains beside plain characters; combined with `|`. */
export const marks = {
  /** A character that may change what quotes mean. */
  quote: 1,
  /** At the end, the beginning of what may be a tag. */
  tagBeginning: 2,
  tag: 4,
  /** An invisible character or half of a pair. */
  cleaning: 8,
} as const;

const tagStart = 0x3c;
const asciiMarks = Uint8Array.from({ length: 0x80 }, (_, code) => markOf(code));

/** One look at each character: nearly every delta needs no other. */
export function marksIn(text: string): number {
  let found = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    found |= code === tagStart ? tagMark(text, at) : (asciiMarks[code] ?? markOf(code));
  }
  return found;
}

function markOf(code: number): number {
  if (mayQuote(code)) return marks.quote;
  return mayNeedCleaning(code) ? marks.cleaning : 0;
}

function tagMark(text: string, at: number): number {
  const opens = opensTag(text, at);
  if (opens === 'no') return 0;
  return opens === 'maybe' ? marks.tag : marks.tagBeginning;
}

/** The next `<` that may open a tag, or the end of the text. */
export function nextTag(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    if (text.charCodeAt(at) === tagStart && opensTag(text, at) !== 'no') break;
  }
  return at;
}

/** The last `<` of a text that has one. */
export function lastTagStart(text: string): number {
  let at = text.length - 1;
  while (at > 0 && text.charCodeAt(at) !== tagStart) at -= 1;
  return at;
}
