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
  /** The user keeps it at the top of the list. */
  readonly pinned: boolean;
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

export type ListedConversation = ConversationRow & {
  /** The open turn waits for the decision of a person. */
  readonly waits: boolean;
};

/** A place in a list: after the conversation with these facts. */
export type ListPosition = Pick<ConversationRow, 'pinned' | 'lastAt' | 'key'>;

export type ListQuery = {
  readonly limit: number;
  /** A part of the title, in any case, the whole id, or beginnings of words that one prompt, answer, note or file of it has. */
  readonly text?: string;
  /** Only conversations with, or without, an open turn. */
  readonly isWorking?: boolean;
  /** Only conversations that wait for the decision of a person. */
  readonly isWaiting?: boolean;
  /** Whether pinned conversations come first. Default: by activity alone. */
  readonly pinnedFirst?: boolean;
  readonly after?: ListPosition;
};
