import type { Block, Draft } from '../block.ts';
import type { Seq, TurnId } from '../ids.ts';

export type AppendRequest = {
  readonly fence: number;
  /** Id of this append. Repeating it (after a lost reply) returns the first result and writes nothing. */
  readonly op: string;
  readonly blocks: readonly Draft[];
  /** Last seq that the owner has rendered; required with a `turn.close`, with a gate, and to park the turn. */
  readonly asOf?: Seq;
  /** Number of leading blocks that are written even if a reactive event is newer than `asOf`; the rest is not (`deferred`). */
  readonly gate?: number;
  readonly expectHead?: Seq;
  /** First block that readers must fold from now on; set with a `view.compact`, and held back with it by a gate. */
  readonly window?: Seq;
  /**
   * Parks the turn: it becomes due after this many milliseconds, or when a reactive event newer than `asOf` arrives. The next
   * append either parks it again or resumes it.
   */
  readonly dueInMs?: number;
  /** The last block that the owner has folded: the reply contains the blocks after it, so that the owner need not read them. */
  readonly knownHead?: Seq;
};

export type AppendResult = {
  readonly status: 'ok' | 'deferred' | 'moved' | 'fenced' | 'gone';
  readonly firstSeq: Seq;
  readonly head: Seq;
  readonly reactive: Seq;
  readonly steer: Seq;
  readonly openTurn: TurnId | undefined;
  /**
   * The blocks after `knownHead` up to `head`, in order: those of other writers, then the written ones. Absent without
   * `knownHead`, for an append that is repeated or refused (`fenced`, `gone`), and if others wrote more than
   * `missedBlocksMax`: read them from the log.
   */
  readonly blocks?: readonly Block[];
};
