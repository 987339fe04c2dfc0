import type { Draft } from '../../../timeline/block.ts';
import type { StreamName } from '../../../timeline/ids.ts';
import { type RoundPlace, streamName } from '../../live/live-stream.ts';
import type { Publisher } from '../../live/publisher.ts';
import { externalTextCharsMax } from './limits.ts';

type TextKind = 'thought' | 'message';
type OpenText = {
  readonly kind: TextKind;
  readonly stream: StreamName;
  readonly instance: number;
  text: string;
};

/** What an agent program thinks and writes: shown while it arrives, and one block for each stretch. */
export class ExternalTexts {
  readonly #publisher: Publisher;
  readonly #place: RoundPlace;
  readonly #instances = { thought: 0, message: 0 };
  #open: OpenText | undefined;

  constructor(publisher: Publisher, place: RoundPlace) {
    this.#publisher = publisher;
    this.#place = place;
  }

  /** Returns the block of the stretch that ends here. */
  write(kind: TextKind, text: string): readonly Draft[] {
    const ended = this.#open && this.#open.kind !== kind ? this.end() : [];
    this.#open ??= this.#begin(kind);
    const room = externalTextCharsMax - this.#open.text.length;
    const piece = text.slice(0, Math.max(0, room)).toWellFormed();
    this.#open.text += piece;
    if (piece !== '') this.#publisher.delta(this.#place, headerOf(this.#open), { text: piece });
    return ended;
  }

  /** Ends the open stretch with a block. */
  end({ isInterrupted = false } = {}): readonly Draft[] {
    const open = this.#close();
    if (!open || open.text.trim() === '') return [];
    const { kind, text, stream, instance } = open;
    return [
      {
        type: kind === 'thought' ? 'react.thinking' : 'timeline_text',
        turn: this.#place.turn,
        author: 'agent',
        text,
        data: { stream, instance },
        ...(isInterrupted ? { meta: { interrupted: true } } : {}),
      },
    ];
  }

  /** Ends the open message, which is the answer. Undefined: the last stretch is not a message. */
  takeAnswer(): { readonly text: string; readonly stream: StreamName } | undefined {
    if (this.#open?.kind !== 'message' || this.#open.text.trim() === '') return undefined;
    return this.#close();
  }

  /** A stream for an answer that was not streamed. */
  nextStream(): StreamName {
    return this.#begin('message').stream;
  }

  #begin(kind: TextKind): OpenText {
    this.#instances[kind] += 1;
    const instance = this.#instances[kind];
    return { kind, instance, stream: streamName(this.#place, channelOf(kind), instance), text: '' };
  }

  #close(): OpenText | undefined {
    const open = this.#open;
    this.#open = undefined;
    if (open) this.#publisher.delta(this.#place, headerOf(open), { text: '', completed: true });
    return open;
  }
}

function channelOf(kind: TextKind): string {
  return kind === 'thought' ? 'thinking' : 'answer';
}

function headerOf({ kind, stream, instance }: OpenText) {
  const channel = channelOf(kind);
  return { channel, instance, stream, marker: channel };
}
