import type { ReadEvent } from '../decision/read-event.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';
import type { InstanceNumbers } from './instance-numbers.ts';

export type SourceOptions = {
  readonly numbers: InstanceNumbers;
  /** Reads the decisions, and adds the channels in their fields. */
  readonly read: (events: readonly ReplyEvent[]) => readonly ReadEvent[];
};

/** Reads the text of a reply, in one protocol. */
export interface TextSource {
  push(text: string): readonly ReadEvent[];
  /** A decision begins that is not part of the text. */
  decision(): readonly ReadEvent[];
  /** The progress line for the next decision that is not part of the text. */
  takeNotes?(): string;
  end(): readonly ReadEvent[];
}
