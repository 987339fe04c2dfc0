import { countTokens as countPiece } from 'gpt-tokenizer/encoding/o200k_base';
import type { BlobRef } from './block.ts';
import { tokenPieceChars } from './limits.ts';

/** Control tokens of the tokenizer inside a text count as plain text and cause no error. */
const plain = { disallowedSpecial: new Set<string>() };

/** Tokens of a text by o200k_base: exact for some models, a good estimate for others. */
export function countTokens(text: string): number {
  let tokens = 0;
  for (let from = 0; from < text.length; from += tokenPieceChars) {
    tokens += countPiece(text.slice(from, from + tokenPieceChars), plain);
  }
  return tokens;
}

const pixelsPerToken = 750;
const imageTokensMax = 1_600;

/** Tokens of an image: by its pixels if known, else by its bytes. */
export function imageTokens(blob: BlobRef, pixels?: { width: number; height: number }): number {
  if (pixels)
    return Math.min(imageTokensMax, Math.ceil((pixels.width * pixels.height) / pixelsPerToken));
  if (blob.size < 200_000) return 150;
  return blob.size < 500_000 ? 400 : imageTokensMax;
}
