import { lazyPackage } from '../base/packages/lazy-package.ts';
import { rememberLast } from '../base/remember-last.ts';
import type { BlobRef } from './block.ts';
import { tokenPieceChars } from './limits.ts';

/** 70 MB of vocabulary, which a process that runs no turns never needs. */
const tokenizer = lazyPackage<typeof import('gpt-tokenizer/encoding/o200k_base')>(
  'gpt-tokenizer/encoding/o200k_base',
);

/** Control tokens of the tokenizer inside a text count as plain text and cause no error. */
const plain = { disallowedSpecial: new Set<string>() };

/** Loads the tokenizer before it is needed, which takes 130 ms or more. */
export function loadTokenizer(): void {
  tokenizer();
}

/** Tokens of a text by o200k_base: exact for some models, a good estimate for others. */
export function countTokens(text: string): number {
  if (text === '') return 0;
  const { countTokens: countPiece } = tokenizer();
  let tokens = 0;
  for (let from = 0; from < text.length; from += tokenPieceChars) {
    tokens += countPiece(text.slice(from, from + tokenPieceChars), plain);
  }
  return tokens;
}

/** The same for a long text that every conversation of an agent repeats, such as its system text. */
export const countRepeatedTokens = rememberLast(countTokens);

const pixelsPerToken = 750;
const imageTokensMax = 1_600;

/** Tokens of an image: by its pixels if known, else by its bytes. */
export function imageTokens(blob: BlobRef, pixels?: { width: number; height: number }): number {
  if (pixels)
    return Math.min(imageTokensMax, Math.ceil((pixels.width * pixels.height) / pixelsPerToken));
  if (blob.size < 200_000) return 150;
  return blob.size < 500_000 ? 400 : imageTokensMax;
}
