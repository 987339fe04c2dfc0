import type { ChannelEvent, ChannelSpec, Notice, ScanNoticeCode } from './channel.ts';
import { isHighSurrogate } from './clean-text.ts';
import { channelCharsMax, noticesMax, previewCharsMax } from './limits.ts';
import type { Tag } from './tag-reader.ts';

type Open = {
  /** Canonical, or in lower case if undeclared. */
  readonly name: string;
  readonly id: string | undefined;
  readonly instance: number;
  /** Undefined: undeclared, its text goes nowhere. */
  readonly spec: ChannelSpec | undefined;
  chars: number;
  dropped: number;
};

/** Turns tags and stretches of text into events: numbers the instances, holds the caps, words the notices. */
export class ScanOutput {
  #events: ChannelEvent[] = [];
  #open: Open | undefined;
  readonly #instances = new Map<string, number>();
  #outsideChars = 0;
  #outsidePreview = '';
  #notices = 0;

  get open(): Pick<Open, 'name' | 'id'> | undefined {
    return this.#open;
  }

  take(): ChannelEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  openChannel(tag: Tag, spec: ChannelSpec | undefined): void {
    if (this.#open !== undefined) this.close('implicit');
    const name = spec?.name ?? tag.name.toLowerCase();
    const instance = this.#instances.get(name) ?? 0;
    this.#instances.set(name, instance + 1);
    const { attributes } = tag;
    this.#open = { name, id: attributes['id'], instance, spec, chars: 0, dropped: 0 };
    if (spec === undefined) {
      this.#notice('undeclared_channel', `There is no channel ${name}; its text was dropped.`, {
        name,
      });
    } else {
      this.#events.push({ kind: 'opened', channel: name, instance, attributes });
    }
  }

  text(text: string): void {
    if (text === '') return;
    if (this.#open === undefined) this.#outside(text);
    else this.#inside(this.#open, text);
  }

  #inside(open: Open, text: string): void {
    if (open.spec === undefined) return;
    const kept = cut(text, (open.spec.charsMax ?? channelCharsMax) - open.chars);
    open.chars += kept.length;
    open.dropped += text.length - kept.length;
    if (open.dropped > 0) open.chars = Number.POSITIVE_INFINITY;
    if (kept === '') return;
    this.#events.push({ kind: 'text', channel: open.name, instance: open.instance, text: kept });
  }

  close(how: 'tag' | 'implicit' | 'end'): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { name, instance, spec, dropped } = open;
    if (spec !== undefined) this.#events.push({ kind: 'closed', channel: name, instance, how });
    if (how !== 'tag') {
      const by = how === 'end' ? 'the output ended' : 'the next channel opened';
      const message = `The channel ${name} was not closed before ${by}; it was closed there.`;
      this.#notice('unclosed_channel', message, { channel: name, instance, how });
    }
    if (dropped > 0) {
      const message = `The channel ${name} is too long; its last ${dropped} characters were dropped.`;
      this.#notice('channel_too_long', message, { channel: name, instance, dropped });
    }
  }

  /** A closing tag that closes nothing. */
  stray({ name }: Tag): void {
    const where = this.#open === undefined ? 'outside of every channel' : `in ${this.#open.name}`;
    const message = `A closing tag of ${name} stood ${where} and was dropped.`;
    this.#notice('stray_close', message, { name, channel: this.#open?.name ?? null });
  }

  end(): void {
    this.close('end');
    if (this.#outsideChars > 0) {
      const message = `${this.#outsideChars} characters stood outside of every channel and were not used.`;
      const detail = { chars: this.#outsideChars, preview: this.#outsidePreview.trim() };
      this.#notice('text_outside', message, detail);
    }
    if (this.#notices > noticesMax) {
      const dropped = this.#notices - noticesMax;
      this.#push('notices_dropped', `${dropped} more notices were dropped.`, { dropped });
    }
  }

  /** White space between channels is not text. */
  #outside(text: string): void {
    this.#outsideChars += text.replace(/\s+/g, '').length;
    this.#outsidePreview += cut(text, previewCharsMax - this.#outsidePreview.length);
  }

  #notice(code: ScanNoticeCode, message: string, detail: Notice['detail']): void {
    this.#notices += 1;
    if (this.#notices <= noticesMax) this.#push(code, message, detail);
  }

  #push(code: ScanNoticeCode, message: string, detail: Notice['detail']): void {
    this.#events.push({ kind: 'notice', code, message, detail });
  }
}

/** At most `chars` units, never half of a pair. */
function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars <= 0) return '';
  return text.slice(0, isHighSurrogate(text.charCodeAt(chars - 1)) ? chars - 1 : chars);
}
