import { type ChannelEvent, type ChannelSpec, decisionChannel } from '../protocol/channel.ts';
import type { ForeignText } from '../protocol/foreign-text.ts';
import { type OutsidePiece, OutsideReader } from './outside-reader.ts';
import { OutsideText } from './outside-text.ts';
import type { OutsideEvent } from './scan-output.ts';
import { createFullScanner } from './scanner.ts';

/** Text that does not belong in a reply. With `ends`, the rest of the reply is ignored. */
type Foreign = { readonly kind: 'foreign'; readonly text: string } & ForeignText;
/** What this instance streamed so far does not count: it turned out to be something else. */
type Withdrawn = {
  readonly kind: 'withdrawn';
  readonly channel: string;
  readonly instance: number;
};
export type ReplyEvent = ChannelEvent | OutsideEvent | Foreign | Withdrawn;

/** The scanner of a whole reply. It also interprets text outside channels, if that has only one possible meaning. */
export interface ReplyScanner {
  /** The next character belongs to the body of a channel. */
  readonly isInChannel: boolean;
  /** A tag was read whose backticks still decide whether it is one. */
  readonly isTagInDoubt: boolean;
  push(text: string): readonly ReplyEvent[];
  /** A decision begins that is not part of the text. */
  decision(): readonly ReplyEvent[];
  end(): readonly ReplyEvent[];
}

type Scanning = {
  readonly channels: readonly ChannelSpec[];
  /** Plain text may be the answer. */
  readonly prose: boolean;
};

export function createReplyScanner({ channels, prose }: Scanning): ReplyScanner {
  return new FullReplyScanner(createFullScanner(channels), new OutsideReader({ prose }));
}

class FullReplyScanner implements ReplyScanner {
  readonly #scanner: ReturnType<typeof createFullScanner>;
  readonly #reader: OutsideReader;
  readonly #unused = new OutsideText();
  /** Number of decisions without tags; the instances of decisions with tags are counted from there. */
  #untagged = 0;
  /** Foreign text that ended the reply; the text after it is only quoted. */
  #end: Foreign | undefined;

  constructor(scanner: ReturnType<typeof createFullScanner>, reader: OutsideReader) {
    this.#scanner = scanner;
    this.#reader = reader;
  }

  get isInChannel(): boolean {
    return this.#scanner.isInChannel;
  }

  get isTagInDoubt(): boolean {
    return this.#scanner.isTagInDoubt;
  }

  push(text: string): readonly ReplyEvent[] {
    return this.#scanner.push(text).flatMap((event) => this.#take(event));
  }

  decision(): readonly ReplyEvent[] {
    return this.#end === undefined ? this.#interpret(this.#reader.boundary('decision')) : [];
  }

  end(): readonly ReplyEvent[] {
    const events = this.#scanner.end().flatMap((event) => this.#take(event));
    const last = this.#interpret(this.#reader.boundary('end'));
    const unused = this.#end === undefined ? this.#unused.notice() : undefined;
    return [...events, ...last, ...(unused ? [{ kind: 'notice' as const, ...unused }] : [])];
  }

  #take(event: ChannelEvent | OutsideEvent): readonly ReplyEvent[] {
    if (this.#end !== undefined && event.kind !== 'outside') return [];
    if (event.kind === 'outside') return this.#interpret(this.#reader.push(event.text));
    if (event.kind === 'notice') return [event];
    const before =
      event.kind === 'opened' ? this.#interpret(this.#reader.boundary(role(event.channel))) : [];
    if (event.channel !== decisionChannel) return [...before, event];
    return [...before, { ...event, instance: event.instance + this.#untagged }];
  }

  #interpret(pieces: readonly OutsidePiece[]): readonly ReplyEvent[] {
    return pieces.flatMap((piece) => this.#toEvents(piece));
  }

  #toEvents(piece: OutsidePiece): readonly ReplyEvent[] {
    if (this.#end !== undefined) {
      return 'text' in piece ? [{ ...this.#end, text: piece.text }] : [];
    }
    const decision = { channel: decisionChannel, instance: this.#untagged };
    switch (piece.kind) {
      case 'text':
        this.#unused.add(piece.text);
        return [{ kind: 'outside', text: piece.text }];
      case 'open':
        return [{ kind: 'opened', ...decision, attributes: {}, as: piece.as }];
      case 'inside':
        return [{ kind: 'text', ...decision, text: piece.text }];
      case 'close':
        this.#untagged += 1;
        return [{ kind: 'closed', ...decision, how: piece.how }];
      default:
        if (piece.ends) this.#end = piece;
        return [piece];
    }
  }
}

function role(channel: string): Parameters<OutsideReader['boundary']>[0] {
  if (channel === decisionChannel) return 'decision';
  return channel === 'thinking' || channel === 'code' ? 'work' : 'beside';
}
