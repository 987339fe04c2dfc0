import type { Notice, ScanNoticeCode } from '../protocol/channel.ts';
import { isHighSurrogate } from '../protocol/clean-text.ts';
import { previewCharsMax } from '../protocol/limits.ts';

/** Counts the text outside all channels and keeps its beginning. White space between channels does not count. */
export class OutsideText {
  #chars = 0;
  #preview = '';

  get chars(): number {
    return this.#chars;
  }

  get preview(): string {
    return this.#preview.trim();
  }

  add(text: string): void {
    this.#chars += text.replace(/\s+/g, '').length;
    this.#preview += cut(text, previewCharsMax - this.#preview.length);
  }

  notice(): Notice<ScanNoticeCode> | undefined {
    if (this.#chars === 0) return undefined;
    const message = `${this.#chars} characters stood outside of the decision and were not used.`;
    return { code: 'text_outside', message, detail: { chars: this.#chars, preview: this.preview } };
  }
}

/** At most `chars` UTF-16 units; never splits a surrogate pair. */
export function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars <= 0) return '';
  return text.slice(0, isHighSurrogate(text.charCodeAt(chars - 1)) ? chars - 1 : chars);
}
