import { z } from 'zod';
import { invariant } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { type Json, type JsonObject, parseJson } from '../../base/json.ts';
import type { Block, Draft } from '../block.ts';
import type { CallId } from '../ids.ts';
import type { BlockPath } from '../paths.ts';
import type { AppendRequest } from './append-request.ts';
import type { AcceptRequest } from './store.ts';

/** Block types that may be written without a fence. Only the owner writes `external.call`, because it parks a turn. */
export const eventTypes =
  '^(user\\.(prompt|attachment)|external\\.(?!call$).+|feedback|approval\\.decision)$';
const eventType = new RegExp(eventTypes);

/** The columns of a stored block; all other fields are stored as one text. */
export type BlockPosition = Pick<Block, 'conversation' | 'seq' | 'turn' | 'at' | 'type'> & {
  readonly path?: BlockPath;
  readonly call?: CallId;
};

const Body = z.object({
  author: z.enum(['user', 'agent', 'tool', 'system', 'world']),
  event: z.string().exactOptional(),
  mime: z.string().exactOptional(),
  text: z.string().exactOptional(),
  data: z.custom<Json>().exactOptional(),
  blob: z.object({ hash: z.string(), size: z.number() }).exactOptional(),
  meta: z.custom<JsonObject>(),
});

/** The fields of a block that stores do not interpret, as JSON text. Preserves NUL, lone surrogates and key order. */
export function toBody(draft: Draft): string {
  const { author, event, mime, text, data, blob, meta = {} } = draft;
  return JSON.stringify({ author, event, mime, text, data, blob, meta });
}

/** Restores the block. Fault `STORED_INVALID` if the text does not come from `toBody`. */
export function fromBody(place: BlockPosition, body: string): Block {
  const parsed = Body.safeParse(parseJson(body));
  if (parsed.success) return { ...place, ...parsed.data };
  const { conversation, seq, type } = place;
  throw new Fault('STORED_INVALID', { conversation, seq, type }, { cause: parsed.error });
}

/** Text for searchable and readable columns, without characters that databases cannot store. */
export function toColumn(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** Stores index names as text, so every store must be able to hold them. */
export function checkNames(drafts: readonly Draft[]): void {
  for (const { type, turn, path = '', call = '' } of drafts) {
    checkText(`${type} ${turn} ${path} ${call}`, type);
  }
}

/** A gate and a parked turn both require `asOf`, the last block that the owner has seen. */
export function checkAppend({ blocks, gate, dueInMs, asOf }: AppendRequest): void {
  invariant(gate === undefined || asOf !== undefined, 'a gate needs asOf');
  invariant(dueInMs === undefined || asOf !== undefined, 'a parked turn needs asOf');
  checkNames(blocks);
}

/** An unfenced write may contain only events, and its names must be text that every store can hold. */
export function checkAccept(request: AcceptRequest): void {
  const { sender, conversation, message, events } = request;
  invariant(events.length > 0 || !request.reactive, 'a reactive message has an event');
  const joined = events.map(({ joining, ...event }): Draft => ({ ...event, ...joining }));
  for (const { type } of [...events, ...joined]) {
    invariant(eventType.test(type), `an unfenced write contains only events, not ${type}`);
  }
  // The searchable text of an event does not depend on the turn.
  const isSame = events.every(({ type }, index) => type === joined[index]?.type || type === prompt);
  invariant(isSame, 'only a prompt changes its type when it joins a turn');
  const { tenant, project, user } = sender;
  checkText(`${tenant} ${project} ${user} ${conversation ?? ''} ${message}`, 'an accept');
  checkNames([...events, ...joined]);
}

const prompt = 'user.prompt';

function checkText(names: string, owner: string): void {
  invariant(names.isWellFormed() && !names.includes('\0'), `${owner} has well-formed names`);
}
