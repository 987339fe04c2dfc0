import { withoutEncodedRuns } from '../../runtime/timeline/base64-runs.ts';
import { isTextual } from '../../runtime/tools/files/mime.ts';
import type { TextPreview } from '../../runtime/tools/ports/sandbox.ts';
import { decode } from '../../runtime/tools/refs/resolved-text.ts';
import { cutText } from '../../runtime/tools/text/cut-text.ts';
import type { SealedFile } from '../egress/sealed-file.ts';
import { previewCharsMax, previewsCharsMax } from './limits.ts';

/** A UTF-8 character has at most 4 bytes. */
const bytesPerChar = 4;

/** Previews of the files of one run, which share one limit of characters. */
export class Previews {
  #left = previewsCharsMax;

  /** Reads only the first bytes; undefined if the file is not text. */
  async of(file: SealedFile, { mime }: { mime: string }): Promise<TextPreview | undefined> {
    const chars = Math.min(this.#left, previewCharsMax);
    const mayBeText = isTextual(mime) || mime === 'application/octet-stream';
    if (chars === 0 || !mayBeText) return undefined;
    const end = Math.min(file.size, previewCharsMax * bytesPerChar);
    const cut = end < file.size;
    const text = decode(await file.read({ start: 0, end }), { cut });
    if (text === undefined) return undefined;
    const plain = withoutEncodedRuns(text);
    const shown = cutText(plain, chars);
    this.#left -= shown.length;
    return {
      text_preview: shown,
      text_symbols: text.length,
      line_count: linesOf(text),
      text_truncated: cut || shown.length < plain.length,
      ...(cut ? { counted: 'beginning' } : {}),
    };
  }
}

/** The last line may lack a line break. */
function linesOf(text: string): number {
  const ends = text.split('\n').length - 1;
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}
