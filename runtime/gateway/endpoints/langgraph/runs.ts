import type { Context } from 'hono';
import type { JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { afterBlock } from '../../feed/cursor.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { langgraphThread, type StreamMode } from '../../projections/langgraph/langgraph.ts';
import type { ThreadState } from '../../projections/langgraph/thread-state.ts';
import { followTurn } from '../follow-turn.ts';
import type { TakenMessage } from '../take-message.ts';
import { streamTurn } from '../turn-stream.ts';
import { readState, statusOf } from './thread.ts';

type Watching = Pick<TakenMessage, 'row' | 'after'> & {
  readonly event?: TakenMessage['event'] | undefined;
  readonly run: string;
  readonly modes: readonly StreamMode[];
};

/** Streams a run, with the headers by which clients find it again. */
export async function streamRun(
  context: Context<Env>,
  parts: HttpParts,
  { row, after, event, run, modes }: Watching,
): Promise<Response> {
  const before = (await readState(row, parts, after.position.since - 1)).values;
  setLocation(context, { row, run, modes });
  const kind = langgraphThread({ modes, before });
  return streamTurn(context, parts, { row, after, kind, ...(event ? { event } : {}) });
}

/** `Location` is where a client goes on after a cut connection, without the parameters of its request. */
export function setLocation(
  context: Context<Env>,
  { row, run, modes }: Pick<Watching, 'row' | 'run' | 'modes'>,
): void {
  const path = `/threads/${row.id}/runs/${run}`;
  const query = new URLSearchParams(modes.map((mode) => ['stream_mode', mode]));
  context.header('Content-Location', path);
  context.header('Location', `${path}/stream?${query.toString()}`);
}

/** Waits until the run has ended or waits for somebody. Returns the values of the thread then. */
export async function waitForRun(
  context: Context<Env>,
  parts: HttpParts,
  { row, after, event, run }: Pick<Watching, 'row' | 'after' | 'event' | 'run'>,
): Promise<JsonObject> {
  const { deps, closing: signal } = parts;
  const gone = context.req.raw.signal;
  let start = after.position;
  let turn = run;
  for (;;) {
    const following = { row, start, turn, ...(event ? { event: event.id } : {}) };
    const end = await followTurn(deps, following, { signal, gone, until: isQuestion });
    turn = end?.turn_id ?? turn;
    const now = await findRow(context, parts, row.id);
    const state = await readState(now, parts);
    if (end?.type === 'chat.error') return { ...state.values, ...failureOf(end) };
    if (statusOf(now, state) !== 'interrupted' && now.openTurn === turn) {
      // The question was answered in the meantime.
      start = afterBlock(now.head, now.windowSeq);
    } else return withInterrupts(state);
  }
}

async function findRow(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  id: string,
): Promise<ConversationRow> {
  const row = await deps.store.find(context.get('sender'), id, { signal });
  if (row) return row;
  throw new Refusal('not_found', `thread ${id} not found`);
}

function withInterrupts({ interrupts, values }: ThreadState): JsonObject {
  if (interrupts.length === 0) return values;
  return { ...values, __interrupt__: interrupts.map((each) => ({ ...each })) };
}

function isQuestion({ type }: WireEnvelope): boolean {
  return type === 'chat.approval' || type === 'external.call';
}

function failureOf({ data = {} }: WireEnvelope): JsonObject {
  return { __error__: { error: data['code'] ?? '', message: data['message'] ?? '' } };
}
