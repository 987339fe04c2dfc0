import { z } from 'zod';
import { invariant } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { type Json, type JsonObject, parseJson } from '../../base/json.ts';
import type { Block, Draft } from '../block.ts';
import type { AcceptRequest, AppendRequest } from './store.ts';

/** What the world may write without a fence. `external.call` is the owner's: it parks a turn. */
export const eventTypes =
  '^(user\\.(prompt|attachment)|external\\.(?!call$).+|feedback|approval\\.decision)$';
const eventType = new RegExp(eventTypes);

/** Where a store puts a block; everything else of it travels as one text. */
export type BlockPosition = Pick<Block, 'conversation' | 'seq' | 'turn' | 'at' | 'type'> & {
  readonly path?: string;
  readonly call?: string;
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

/** The part of a block that no store looks into, as JSON text: NUL, lone surrogates and key order survive. */
export function toBody(draft: Draft): string {
  const { author, event, mime, text, data, blob, meta = {} } = draft;
  return JSON.stringify({ author, event, mime, text, data, blob, meta });
}

/** The block again. Fault `STORED_INVALID` when the text is not what `toBody` makes. */
export function fromBody(place: BlockPosition, body: string): Block {
  const parsed = Body.safeParse(parseJson(body));
  if (parsed.success) return { ...place, ...parsed.data };
  const { conversation, seq, type } = place;
  throw new Fault('STORED_INVALID', { conversation, seq, type }, { cause: parsed.error });
}

/** Text for columns that people search and read: what no database can hold is left out. */
export function toColumn(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** Names are indexed as text by every store, so they must be text that every store can hold. */
export function checkNames(drafts: readonly Draft[]): void {
  for (const { type, turn, path = '', call = '' } of drafts) {
    checkText(`${type} ${turn} ${path} ${call}`, type);
  }
}

/** A gate and a parked turn both say up to where the owner has seen. */
export function checkAppend({ blocks, gate, dueInMs, asOf }: AppendRequest): void {
  invariant(gate === undefined || asOf !== undefined, 'a gate needs asOf');
  invariant(dueInMs === undefined || asOf !== undefined, 'a parked turn needs asOf');
  checkNames(blocks);
}

/** An unfenced write carries events and nothing else, and its names are text that every store can hold. */
export function checkAccept(request: AcceptRequest): void {
  const { sender, conversation, message, events, joining = events } = request;
  invariant(events.length > 0 || !request.reactive, 'what somebody must answer carries an event');
  invariant(joining.length === events.length, 'both forms of an event have as many blocks');
  for (const { type } of [...events, ...joining]) {
    invariant(eventType.test(type), `an unfenced write carries only events, not ${type}`);
  }
  const { tenant, project, user } = sender;
  checkText(`${tenant} ${project} ${user} ${conversation ?? ''} ${message}`, 'an accept');
  checkNames([...events, ...joining]);
}

function checkText(names: string, owner: string): void {
  invariant(names.isWellFormed() && !names.includes('\0'), `${owner} has well-formed names`);
}
