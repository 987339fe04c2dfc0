import type { Json } from '../../base/json.ts';
import type { SendOptions } from '../api/types.ts';

/** A conversation, and where to begin in it. */
export type ConversationTarget = {
  readonly id: string;
  /** The conversation may not exist yet: the first message creates it. */
  readonly isNew: boolean;
  readonly bundle?: string | undefined;
  readonly agent?: string | undefined;
  readonly after?: string | undefined;
  readonly tail?: number;
};
export type StartAt = { readonly after: string } | { readonly tail: number };
export type MessageOptions = SendOptions & { readonly turn?: string; readonly payload?: Json };

/** Undefined if the subscription begins at a cursor or at the beginning. */
export function startOf({ isNew, after, tail }: ConversationTarget): StartAt | undefined {
  if (after === 'now' && !isNew) return { after };
  return isNew || after !== undefined || tail === undefined ? undefined : { tail };
}
