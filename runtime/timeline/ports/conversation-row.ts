import type { ConversationKey, Seq, TurnId } from '../ids.ts';

export type ProjectScope = { readonly tenant: string; readonly project: string };
export type Sender = ProjectScope & { readonly user: string };
export type OwnerFilter = ProjectScope & { readonly user?: string };

/** The row of one conversation. `key` is the internal key of the store; `id` is `conv_…`, unique for its user. */
export type ConversationRow = ProjectScope & {
  readonly key: ConversationKey;
  readonly id: string;
  readonly user: string;
  readonly title: string | undefined;
  readonly head: Seq;
  /** Seq of the last reactive event; the open turn may close only after it has rendered this event. */
  readonly reactive: Seq;
  readonly answered: Seq;
  readonly steer: Seq;
  /** First block that a reader must fold. */
  readonly windowSeq: Seq;
  readonly openTurn: TurnId | undefined;
  /** The blocks up to `seq` belong to `conversation`, which wrote the block at `seq`. Absent: not a fork. */
  readonly forkedFrom?: { readonly conversation: string; readonly seq: Seq };
  readonly createdAt: string;
  readonly lastAt: string;
};
