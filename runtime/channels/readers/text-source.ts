import type { ReplyEvent } from '../scan/reply-scanner.ts';
import type { InstanceNumbers } from './instance-numbers.ts';

export type SourceOptions = {
  readonly numbers: InstanceNumbers;
  /** Adds the channels in the fields of decisions. */
  readonly fields: (events: readonly ReplyEvent[]) => readonly ReplyEvent[];
};

/** Reads the text of a reply, in one protocol. */
export interface TextSource {
  /** Its instances have the numbers of the whole reply. Absent: it counts its own. */
  readonly isNumbered?: true;
  push(text: string): readonly ReplyEvent[];
  /** A decision begins that is not part of the text. */
  decision(): readonly ReplyEvent[];
  /** The progress line for the next decision that is not part of the text. */
  takeNotes?(): string;
  end(): readonly ReplyEvent[];
}
