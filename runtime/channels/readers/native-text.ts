import type { ReadEvent } from '../decision/read-event.ts';
import { type ChannelEvent, type ChannelSpec, decisionChannel } from '../protocol/channel.ts';
import type { ForeignText } from '../protocol/foreign-text.ts';
import { type OutsidePiece, OutsideReader } from '../scan/outside-reader.ts';
import { OutsideText } from '../scan/outside-text.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';
import type { OutsideEvent } from '../scan/scan-output.ts';
import { createFullScanner } from '../scan/scanner.ts';
import { AnswerText } from './answer-text.ts';
import { type InstanceNumbers, renumbering } from './instance-numbers.ts';
import type { SourceOptions, TextSource } from './text-source.ts';

/** Channels for what a call or a plain answer has no field for. */
const nativeChannels: readonly ChannelSpec[] = [
  { name: 'notes', format: 'markdown' },
  { name: 'followups', format: 'markdown' },
];

type Foreign = { readonly kind: 'foreign'; readonly text: string } & ForeignText;

/**
 * The text of a reply beside a provider's tool calling.
 *
 * 1. Plain text is the answer if the reply has no call, else a remark: see `AnswerText`.
 * 2. Channels keep their meaning. A decision channel, and an object with an `action` before the answer, are decisions.
 * 3. Foreign text before the answer is neither answer nor remark. In an answer it is text.
 */
export class NativeText implements TextSource {
  readonly #numbers: InstanceNumbers;
  readonly #toRead: SourceOptions['read'];
  readonly #scanner: ReturnType<typeof createFullScanner>;
  readonly #renumber: (event: ReplyEvent) => ReplyEvent;
  readonly #outside = new OutsideReader({ prose: false, strict: true });
  readonly #unused = new OutsideText();
  readonly #plain: AnswerText;
  readonly #kept = { notes: '', followups: '' };
  #hasNativeCall = false;
  #isUnused = false;
  /** A decision without tags. */
  #bare: { readonly channel: string; readonly instance: number } | undefined;
  #end: Foreign | undefined;

  constructor(channels: readonly ChannelSpec[], { numbers, read }: SourceOptions) {
    this.#toRead = read;
    const declared = new Set(channels.map(({ name }) => name.toLowerCase()));
    const more = nativeChannels.filter(({ name }) => !declared.has(name));
    this.#scanner = createFullScanner([...channels, ...more]);
    this.#numbers = numbers;
    this.#renumber = renumbering(numbers);
    this.#plain = new AnswerText(numbers);
  }

  push(text: string): readonly ReadEvent[] {
    return this.#scanner.push(text).flatMap((event) => this.#toRead(this.#scanned(event)));
  }

  decision(): readonly ReadEvent[] {
    if (this.#end !== undefined) return [];
    const before = this.#toRead(this.#interpret(this.#outside.boundary('decision')));
    const events = [...before, ...this.#toRead(this.#plain.call())];
    this.#hasNativeCall = true;
    return events;
  }

  /** The progress line for the next call. */
  takeNotes(): string {
    const notes = this.#kept.notes.trim();
    this.#kept.notes = '';
    return notes;
  }

  end(): readonly ReadEvent[] {
    const events = this.#scanner.end().flatMap((event) => this.#toRead(this.#scanned(event)));
    const rest = this.#toRead(this.#interpret(this.#outside.boundary('end')));
    const last = this.#toRead(this.#plain.end(linesOf(this.#kept.followups)));
    const unused = this.#end === undefined ? this.#unused.notice() : undefined;
    return [
      ...events,
      ...rest,
      ...last,
      ...(unused ? [{ kind: 'notice' as const, ...unused }] : []),
    ];
  }

  #scanned(event: ChannelEvent | OutsideEvent): readonly ReplyEvent[] {
    if (event.kind === 'outside') return this.#read(event.text);
    if (this.#end !== undefined) return [];
    if (event.kind === 'notice') return [event];
    const { channel } = event;
    if (channel === 'notes' || channel === 'followups') {
      if (event.kind === 'text') this.#kept[channel] += event.text;
      if (event.kind === 'closed') this.#kept[channel] += '\n';
      return [];
    }
    const before = event.kind === 'opened' ? this.#boundary(channel) : [];
    return [...before, this.#renumber(event)];
  }

  #boundary(channel: string): readonly ReplyEvent[] {
    const isDecision = channel === decisionChannel;
    const events = this.#interpret(this.#outside.boundary(isDecision ? 'decision' : 'beside'));
    return isDecision ? [...events, ...this.#plain.call()] : events;
  }

  /** Step by step while its meaning is open: the same text is read the same way, however it is split. */
  #read(text: string): readonly ReplyEvent[] {
    const events: ReplyEvent[] = [];
    for (let at = 0; at < text.length; ) {
      if (this.#hasNativeCall || this.#plain.isStreaming) {
        return [...events, ...this.#say(text.slice(at))];
      }
      at = this.#outside.step(text, at, text.length);
      events.push(...this.#interpret(this.#outside.take()));
    }
    return events;
  }

  #say(text: string): readonly ReplyEvent[] {
    if (this.#end !== undefined) return [{ ...this.#end, text }];
    return this.#isUnused ? this.#leave(text) : this.#plain.say(text);
  }

  #leave(text: string): readonly ReplyEvent[] {
    if (text === '') return [];
    this.#unused.add(text);
    return [{ kind: 'outside', text }];
  }

  #interpret(pieces: readonly OutsidePiece[]): readonly ReplyEvent[] {
    return pieces.flatMap((piece) => this.#toEvents(piece));
  }

  #toEvents(piece: OutsidePiece): readonly ReplyEvent[] {
    if (this.#end !== undefined) return 'text' in piece ? this.#say(piece.text) : [];
    switch (piece.kind) {
      case 'text':
        return this.#say(piece.text);
      case 'open':
        return this.#openBare();
      case 'inside':
        return this.#bare ? [{ kind: 'text', ...this.#bare, text: piece.text }] : [];
      case 'close':
        return this.#bare ? [{ kind: 'closed', ...this.#bare, how: piece.how }] : [];
      default:
        return this.#meet(piece);
    }
  }

  #openBare(): readonly ReplyEvent[] {
    const before = this.#plain.call();
    const instance = this.#numbers.next(decisionChannel);
    this.#bare = { channel: decisionChannel, instance };
    return [...before, { kind: 'opened', ...this.#bare, attributes: {} }];
  }

  #meet(foreign: Foreign): readonly ReplyEvent[] {
    const before = this.#leave(this.#plain.drop());
    this.#isUnused = true;
    if (foreign.ends) this.#end = foreign;
    return [...before, foreign];
  }
}

/** One suggestion per line, without the marks of a list. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((line) => line !== '');
}
