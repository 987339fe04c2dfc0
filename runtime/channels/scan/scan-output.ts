import type { ChannelEvent, ChannelSpec, Notice, ScanNoticeCode } from '../protocol/channel.ts';
import { channelCharsMax, noticesMax } from '../protocol/limits.ts';
import { cut, type OutsideText } from './outside-text.ts';
import type { Tag } from './tag-reader.ts';

/** Text outside channels. */
export type OutsideEvent = { readonly kind: 'outside'; readonly text: string };

type Open = {
  /** The canonical name; in lower case if undeclared. */
  readonly name: string;
  readonly id: string | undefined;
  /** Opened by `<think>`. */
  readonly think: boolean;
  readonly instance: number;
  /** Undefined: the channel is not declared and its text is dropped. */
  readonly spec: ChannelSpec | undefined;
  /** Number of characters that still fit; none, once one did not. */
  room: number;
  dropped: number;
};

/** Turns tags and text into events: numbers the instances, enforces the limits, writes the notices. */
export class ScanOutput<Outside> {
  /** Made with its first event: most pushes give one, for which no array must grow. */
  #events: (ChannelEvent | Outside)[] | undefined;
  #open: Open | undefined;
  readonly #instances = new Map<string, number>();
  readonly #outside: OutsideText | ((text: string) => Outside);
  #notices = 0;

  /** Text outside channels is counted, or becomes an event. */
  constructor(outside: OutsideText | ((text: string) => Outside)) {
    this.#outside = outside;
  }

  get open(): Pick<Open, 'name' | 'id' | 'think'> | undefined {
    return this.#open;
  }

  /** Whether only its own closing tag is a tag inside the open channel. */
  get isSealed(): boolean {
    return this.#open !== undefined && (this.#open.think || this.#open.id !== undefined);
  }

  take(): (ChannelEvent | Outside)[] {
    const events = this.#events ?? [];
    this.#events = undefined;
    return events;
  }

  #emit(event: ChannelEvent | Outside): void {
    if (this.#events === undefined) this.#events = [event];
    else this.#events.push(event);
  }

  openChannel(tag: Tag, spec: ChannelSpec | undefined): void {
    if (this.#open !== undefined) this.close('implicit');
    const name = spec?.name ?? tag.name.toLowerCase();
    const instance = this.#instances.get(name) ?? 0;
    this.#instances.set(name, instance + 1);
    const { attributes, think } = tag;
    const room = spec?.charsMax ?? channelCharsMax;
    this.#open = { name, id: attributes['id'], think, instance, spec, room, dropped: 0 };
    if (spec === undefined) {
      this.#notice('undeclared_channel', `There is no channel ${name}; its text was dropped.`, {
        name,
      });
    } else {
      const as = think ? { as: 'think' as const } : {};
      this.#emit({ kind: 'opened', channel: name, instance, attributes, ...as });
    }
  }

  text(text: string): void {
    if (text === '') return;
    if (this.#open !== undefined) this.#inside(this.#open, text);
    else if (typeof this.#outside === 'function') this.#emit(this.#outside(text));
    else this.#outside.add(text);
  }

  #inside(open: Open, text: string): void {
    const { name, instance, spec, room } = open;
    if (spec === undefined) return;
    if (text.length > room) this.#insideCut(open, text);
    else {
      open.room = room - text.length;
      this.#emit({ kind: 'text', channel: name, instance, text });
    }
  }

  #insideCut(open: Open, text: string): void {
    const kept = cut(text, open.room);
    open.dropped += text.length - kept.length;
    open.room = 0;
    if (kept === '') return;
    this.#emit({ kind: 'text', channel: open.name, instance: open.instance, text: kept });
  }

  close(how: 'tag' | 'implicit' | 'end'): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { name, instance, spec, dropped } = open;
    if (spec !== undefined) this.#emit({ kind: 'closed', channel: name, instance, how });
    if (how !== 'tag') {
      const by = how === 'end' ? 'the output ended' : 'the next channel opened';
      const message = `The channel ${name} was not closed before ${by}; it was closed there. Next time write ${closingOf(open)}.`;
      this.#notice('unclosed_channel', message, { channel: name, instance, how });
    }
    if (dropped > 0) {
      const message = `The channel ${name} is too long; its last ${dropped} characters were dropped.`;
      this.#notice('channel_too_long', message, { channel: name, instance, dropped });
    }
  }

  /** A closing tag without an open channel of its name. */
  stray({ name }: Tag): void {
    const where = this.#open === undefined ? 'outside of every channel' : `in ${this.#open.name}`;
    const message = `A closing tag of ${name} stood ${where} and was dropped.`;
    this.#notice('stray_close', message, { name, channel: this.#open?.name ?? null });
  }

  end(): void {
    this.close('end');
    const outside = typeof this.#outside === 'function' ? undefined : this.#outside.notice();
    if (outside) this.#notice(outside.code, outside.message, outside.detail);
    if (this.#notices > noticesMax) {
      const dropped = this.#notices - noticesMax;
      this.#push('notices_dropped', `${dropped} more notices were dropped.`, { dropped });
    }
  }

  #notice(code: ScanNoticeCode, message: string, detail: Notice['detail']): void {
    this.#notices += 1;
    if (this.#notices <= noticesMax) this.#push(code, message, detail);
  }

  #push(code: ScanNoticeCode, message: string, detail: Notice['detail']): void {
    this.#emit({ kind: 'notice', code, message, detail });
  }
}

function closingOf({ name, id, think }: Open): string {
  if (think) return '</think>';
  return id === undefined ? `</channel:${name}>` : `</channel:${name} id="${id}">`;
}
