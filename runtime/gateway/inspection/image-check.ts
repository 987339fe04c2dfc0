import { pixelsOf } from '../../tools/files/image-size.ts';
import type { Flaw } from './flaw.ts';
import { imageEdgeMax } from './limits.ts';

/** Checks that an image is complete and not larger than models accept. */
export function checkImage(bytes: Uint8Array, mime: string): Flaw | undefined {
  const pixels = measured(bytes, mime);
  if (!pixels) return { reason: 'malformed', message: `is a damaged ${mime}; save it again` };
  const { width, height } = pixels;
  if (Math.max(width, height) > imageEdgeMax) {
    const message = `has ${width} × ${height} pixels; the limit for the longest edge is ${imageEdgeMax}`;
    return { reason: 'too_many_pixels', message };
  }
  if (ends[mime]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) !== false)
    return undefined;
  return { reason: 'truncated', message: 'is incomplete: its end is missing; send the whole file' };
}

function measured(bytes: Uint8Array, mime: string) {
  try {
    return pixelsOf(bytes, mime);
  } catch {
    // The parser reads beyond the last byte.
    return undefined;
  }
}

/**
 * Whether the end marker of the format is present. GIFs without their last byte are common, and every viewer shows
 * them.
 */
const ends: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => {
    let at = 8;
    while (at + 12 <= bytes.length) {
      if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true;
      at += 12 + bytes.readUInt32BE(at);
    }
    return false;
  },
  'image/jpeg': (bytes) => bytes.lastIndexOf(Buffer.of(0xff, 0xd9)) > 0,
  'image/webp': (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length,
};
