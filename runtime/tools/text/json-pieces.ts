import { stringifyChunked } from '@discoveryjs/json-ext';
import { resultChunkChars } from '../limits.ts';

/** The JSON of a value, as JSON.stringify writes it, in pieces: the whole text is never there at once, one of its texts is. */
export function jsonPieces(value: unknown, clean: (text: string) => string): Iterable<string> {
  const replacer = (_: string, leaf: unknown) => {
    if (typeof leaf === 'string') return clean(leaf);
    // Of these the library wants to be told that they are no JSON.
    return typeof leaf === 'function' || typeof leaf === 'symbol' ? undefined : leaf;
  };
  return stringifyChunked(value, { replacer, highWaterMark: resultChunkChars });
}
