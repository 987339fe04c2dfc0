import type { Context } from 'hono';
import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { toSeq } from '../../../timeline/ids.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { findConversation } from '../../auth/find-conversation.ts';
import { afterBlock } from '../../feed/cursor.ts';
import { readHistory, startOfTail } from '../../feed/history.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { ThreadState } from '../../projections/langgraph/thread-state.ts';
import { threadTurnsMax } from './limits.ts';

/** The thread of a path. Refusal `not_found`. */
export function findThread(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<ConversationRow> {
  const conversation = context.req.param('thread') ?? '';
  return findConversation(deps.store, context.get('sender'), { conversation, signal });
}

/** The state of a thread up to a block: its last turns. */
export async function readState(
  row: ConversationRow,
  parts: HttpParts,
  until: number = row.head,
): Promise<ThreadState> {
  const state = new ThreadState();
  for (const envelope of await readTail(row, parts, until)) state.take(envelope);
  return state;
}

/** The envelopes of the last turns of a thread. */
export async function readTail(
  row: ConversationRow,
  { deps, closing: signal }: HttpParts,
  until: number = row.head,
): Promise<readonly WireEnvelope[]> {
  if (until === 0) return [];
  const place = { store: deps.store, signal };
  const from = await startOfTail(row, { turns: threadTurnsMax, until }, place);
  return readHistory(row, { from, to: afterBlock(toSeq(until), 1) }, place);
}

export type ThreadStatus = 'idle' | 'busy' | 'interrupted';

export function statusOf({ openTurn }: ConversationRow, state: ThreadState): ThreadStatus {
  if (openTurn === undefined) return 'idle';
  return state.interrupts.length > 0 ? 'interrupted' : 'busy';
}

export function toThread(row: ConversationRow, state: ThreadState): JsonObject {
  const interrupts = state.interrupts.map((each) => ({ ...each }));
  return {
    ...toListedThread(row),
    status: statusOf(row, state),
    values: state.values,
    interrupts: interrupts.length > 0 ? { [row.openTurn ?? 'agent']: interrupts } : {},
  };
}

/** Of a list, without what only the log says. */
export function toListedThread(row: ConversationRow): JsonObject {
  const { id, createdAt, lastAt, openTurn, title } = row;
  return {
    thread_id: id,
    created_at: createdAt,
    updated_at: lastAt,
    state_updated_at: lastAt,
    metadata: title === undefined ? {} : { title },
    status: openTurn === undefined ? 'idle' : 'busy',
    values: null,
    interrupts: {},
    config: {},
  };
}

export function toThreadState(row: ConversationRow, state: ThreadState): JsonObject {
  const { id, openTurn, lastAt, head } = row;
  const interrupts = state.interrupts.map((each) => ({ ...each }));
  const task = {
    ...{ id: openTurn ?? '', name: 'agent', error: null, interrupts },
    ...{ checkpoint: null, state: null, result: null },
  };
  return {
    values: state.values,
    next: openTurn === undefined ? [] : ['agent'],
    tasks: openTurn === undefined ? [] : [task],
    checkpoint: {
      ...{ thread_id: id, checkpoint_ns: '', checkpoint_id: String(head), checkpoint_map: null },
    },
    metadata: {},
    created_at: lastAt,
    parent_checkpoint: null,
    interrupts,
  };
}
