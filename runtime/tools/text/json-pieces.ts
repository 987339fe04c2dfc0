import { stringifyChunked } from '@discoveryjs/json-ext';
import { resultChunkChars } from '../limits.ts';

/** The JSON of a value, as JSON.stringify writes it, in pieces. Memory holds one string of the value at a time, never the whole text. */
export function jsonPieces(value: unknown, clean: (text: string) => string): Iterable<string> {
  const replacer = (_: string, leaf: unknown) => {
    if (typeof leaf === 'string') return clean(leaf);
    // The library throws for these; JSON.stringify omits them.
    return typeof leaf === 'function' || typeof leaf === 'symbol' ? undefined : leaf;
  };
  return stringifyChunked(value, { replacer, highWaterMark: resultChunkChars });
}
