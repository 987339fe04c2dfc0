import type { ReadEvent } from '../decision/read-event.ts';
import type { ChannelSpec } from '../protocol/channel.ts';
import { createReplyScanner, type ReplyEvent, type ReplyScanner } from '../scan/reply-scanner.ts';
import { renumbering } from './instance-numbers.ts';
import type { SourceOptions, TextSource } from './text-source.ts';

/** The text of a reply in channels. */
export class ChannelText implements TextSource {
  readonly #scanner: ReplyScanner;
  readonly #read: (events: readonly ReplyEvent[]) => readonly ReadEvent[];

  constructor(
    options: { readonly channels: readonly ChannelSpec[]; readonly prose: boolean },
    { numbers, read }: SourceOptions,
  ) {
    this.#scanner = createReplyScanner(options);
    const renumber = renumbering(numbers);
    this.#read = (events) => read(events.map(renumber));
  }

  push(text: string): readonly ReadEvent[] {
    return this.#read(this.#scanner.push(text));
  }

  decision(): readonly ReadEvent[] {
    return this.#read(this.#scanner.decision());
  }

  end(): readonly ReadEvent[] {
    return this.#read(this.#scanner.end());
  }
}
