import { grouped } from './cut.ts';
import { encodedRunCharsMin } from './limits.ts';

const bare = new RegExp(`[A-Za-z0-9+/_-]{${encodedRunCharsMin},}={0,2}`, 'g');
/** Lines of MIME-wrapped base64, with real line ends or those of a JSON string. */
const wrapped = /(?:[A-Za-z0-9+/]{60,}(?:\r\n|\n|\\r\\n|\\n)){2,}[A-Za-z0-9+/]*={0,2}/g;

/** Encoded bytes would flood the context and tell the model nothing. */
export function withoutEncodedRuns(text: string): string {
  if (text.length < encodedRunCharsMin) return text;
  return text
    .replaceAll(bare, elision)
    .replaceAll(wrapped, (run) => (run.length >= encodedRunCharsMin ? elision(run) : run));
}

function elision(run: string): string {
  return `[${grouped(run.length)} characters of encoded data left out]`;
}
