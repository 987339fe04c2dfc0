import { z } from 'zod';
import type { Brand } from '../base/brand.ts';

/** The id of a turn, `turn_…`. A short name (`t3`) is not an id: `turnIdOf` finds the turn that it names. */
export type TurnId = Brand<string, 'TurnId'>;

/** Marks a string from a stored row, a client or the id generator. Whether such a turn exists is for the store to say. */
export function toTurnId(text: string): TurnId {
  return text as TurnId;
}

export const turnIdSchema = z.string().transform(toTurnId);

/** The turn of a block without one: feedback on a closed turn, an event from an app between turns. */
export const noTurn = toTurnId('none');

/** The turn of an event before the store chooses one under its lock; also in the path of the event. */
export const turnToChoose = toTurnId('$turn');

/** The id of a tool call, `tc_…`. Neither its short name (`c12`), nor the id that a program or a provider gave to the call. */
export type CallId = Brand<string, 'CallId'>;

/** Marks a string from a stored row, a client or the id generator. Whether such a call exists is for its reader to check. */
export function toCallId(text: string): CallId {
  return text as CallId;
}

export const callIdSchema = z.string().transform(toCallId);

/** The store's own key of a conversation. Clients and logs know the conversation by its id, `conv_…`. */
export type ConversationKey = Brand<number, 'ConversationKey'>;

/** Marks a number from a stored row, or from another process that uses the same store. */
export function toConversationKey(key: number): ConversationKey {
  return key as ConversationKey;
}

export const conversationKeySchema = z.int().transform(toConversationKey);

/** The name of a stream to clients, unique in the conversation. The block made from the stream carries it as `data.stream`. */
export type StreamName = Brand<string, 'StreamName'>;

/** Marks a string from a frame or a block, or one that the place of the stream makes unique. */
export function toStreamName(text: string): StreamName {
  return text as StreamName;
}

export const streamNameSchema = z.string().transform(toStreamName);

/** The position of a block in the log of its conversation, from 1; 0 is before the first. */
export type Seq = Brand<number, 'Seq'>;

/** Marks a number from a stored row or a client, or a position that was computed from others. */
export function toSeq(position: number): Seq {
  return position as Seq;
}

export const seqSchema = z.number().transform(toSeq);
