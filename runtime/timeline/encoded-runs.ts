import { encodedRunCharsMin } from './limits.ts';

/** The look-behinds let a search begin only where a run does, so that it stays linear. */
const bare = new RegExp(`(?<![\\w+/-])[\\w+/-]{${encodedRunCharsMin},}={0,2}`, 'g');
/** Lines as mail wraps them, with real line ends or those of a JSON string. */
const wrapped =
  /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,}(?:\r?\n|(?:\\r)?\\n)){2,}[A-Za-z0-9+/]*={0,2}/g;

/** Encoded bytes would flood a prompt and tell a model nothing. Doing it twice is doing it once. */
export function withoutEncodedRuns(text: string): string {
  if (text.length < encodedRunCharsMin) return text;
  return text
    .replaceAll(bare, elision)
    .replaceAll(wrapped, (run) => (run.length >= encodedRunCharsMin ? elision(run) : run));
}

function elision({ length }: string): string {
  return `(${length} characters of encoded data)`;
}
