import type { ReadEvent } from '../decision/read-event.ts';
import { type ChannelSpec, decisionChannel } from '../protocol/channel.ts';
import { type OutsidePiece, OutsideReader } from '../scan/outside-reader.ts';
import { createReplyScanner, type ReplyEvent, type ReplyScanner } from '../scan/reply-scanner.ts';
import { type InstanceNumbers, renumbering } from './instance-numbers.ts';
import type { SourceOptions, TextSource } from './text-source.ts';

type ObjectOptions = {
  readonly channels: readonly ChannelSpec[];
  readonly prose: boolean;
};

type Read = { readonly next: number; readonly news: readonly ReplyEvent[] };

/**
 * The text of a reply that is a decision object. No tag counts inside the object; text around it is read like text in
 * channels, so a reply in channels is understood too.
 */
export class ObjectText implements TextSource {
  readonly #scanner: ReplyScanner;
  readonly #reader = new OutsideReader({ prose: false });
  readonly #numbers: InstanceNumbers;
  readonly #toRead: SourceOptions['read'];
  readonly #renumber: (event: ReplyEvent) => ReplyEvent;
  #object: { readonly channel: string; readonly instance: number } | undefined;

  constructor({ channels, prose }: ObjectOptions, { numbers, read }: SourceOptions) {
    this.#toRead = read;
    this.#scanner = createReplyScanner({ channels, prose });
    this.#numbers = numbers;
    const renumber = renumbering(numbers);
    this.#renumber = (event) => withoutBare(renumber(event));
  }

  /** The reader of each part depends on the part before it: a channel begins and ends with the end of a tag. */
  push(text: string): readonly ReadEvent[] {
    const events: ReadEvent[] = [];
    let tagEnd = 0;
    for (let at = 0; at < text.length; ) {
      if (tagEnd <= at) tagEnd = endOfTag(text, at);
      const { next, news } = this.#scanner.isInChannel
        ? this.#readInside(text, at, tagEnd)
        : this.#readOutside(text, at, tagEnd);
      if (news.length > 0) events.push(...this.#toRead(news));
      at = next;
    }
    return events;
  }

  #readInside(text: string, from: number, tagEnd: number): Read {
    // A tag after an open backtick may begin to count at any character.
    const next = this.#scanner.isTagInDoubt ? from + 1 : tagEnd;
    return { next, news: this.#around(text.slice(from, next)) };
  }

  #readOutside(text: string, from: number, tagEnd: number): Read {
    const next = this.#reader.step(text, from, tagEnd);
    return { next, news: this.#interpret(this.#reader.take()) };
  }

  decision(): readonly ReadEvent[] {
    return this.#toRead([...this.#interpret(this.#reader.boundary('decision')), ...this.#begin()]);
  }

  end(): readonly ReadEvent[] {
    const last = this.#interpret(this.#reader.boundary('end'));
    return this.#toRead([...last, ...this.#scanner.end().map(this.#renumber)]);
  }

  #around(text: string): readonly ReplyEvent[] {
    return this.#scanner.push(text).map(this.#renumber);
  }

  #begin(): readonly ReplyEvent[] {
    return this.#scanner.decision().map(this.#renumber);
  }

  #interpret(pieces: readonly OutsidePiece[]): readonly ReplyEvent[] {
    return pieces.flatMap((piece) => this.#toEvents(piece));
  }

  #toEvents(piece: OutsidePiece): readonly ReplyEvent[] {
    switch (piece.kind) {
      case 'open': {
        const before = this.#begin();
        const instance = this.#numbers.next(decisionChannel);
        this.#object = { channel: decisionChannel, instance };
        return [...before, { kind: 'opened', ...this.#object, attributes: {} }];
      }
      case 'inside':
        return this.#object ? [{ kind: 'text', ...this.#object, text: piece.text }] : [];
      case 'close':
        return this.#object ? [{ kind: 'closed', ...this.#object, how: piece.how }] : [];
      default:
        // Text of another protocol is judged together with the text around it.
        return this.#around(piece.text);
    }
  }
}

/** The index after the next `>`. */
function endOfTag(text: string, from: number): number {
  const end = text.indexOf('>', from);
  return end === -1 ? text.length : end + 1;
}

/** In these protocols an object without tags is the rule. */
function withoutBare(event: ReplyEvent): ReplyEvent {
  if (event.kind !== 'opened' || event.as !== 'bare') return event;
  const { as: _bare, ...opened } = event;
  return opened;
}
