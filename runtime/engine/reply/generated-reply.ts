import type { ReplyPiece } from '../../channels/protocol/reply-piece.ts';
import type { ParsedReply } from '../../channels/reply/reply.ts';
import type { StreamName } from '../../timeline/ids.ts';
import type { MeteredUsage } from '../model/usage-meter.ts';

export type CarryPiece = Extract<ReplyPiece, { kind: 'carry' }>;

export type Reply = {
  readonly packet: ParsedReply;
  /** What was read: the text, tags included, or the log of the pieces. Empty: nothing. */
  readonly raw: string;
  /** `raw` is the log of the pieces: every reply that is not plain text in channels. */
  readonly isPieceLog: boolean;
  /** Opaque reasoning that the provider requires back with the history. */
  readonly carry: readonly CarryPiece[];
  /** Raw answers that clients have seen, by decision instance. */
  readonly answers: ReadonlyMap<number, string>;
  /** Streams of written files that clients have seen, by decision instance. */
  readonly written: ReadonlyMap<number, StreamName>;
  /** Notes that clients have seen, by decision instance. */
  readonly notes: ReadonlyMap<number, string>;
};

export type GeneratedReply = Reply &
  Omit<MeteredUsage, 'finish'> & {
    /** `violation`: stopped here, because the rest could not be used. */
    readonly finish: MeteredUsage['finish'] | 'violation';
    readonly costUsd: number;
    readonly ms: number;
    readonly firstTokenMs: number | undefined;
  };

/** The model wrote only a part of what it wanted to say; an answer in this reply is marked as degraded. */
export function isCutOff({ finish }: Pick<GeneratedReply, 'finish'>): boolean {
  return finish === 'length' || finish === 'refusal' || finish === 'interrupted';
}
