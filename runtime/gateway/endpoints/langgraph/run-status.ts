import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { textOf } from '../../feed/wire-json.ts';
import { ThreadState } from '../../projections/langgraph/thread-state.ts';

type RunStatus = 'running' | 'interrupted' | 'success' | 'error';

/** Turns as LangGraph describes runs, in order, from their envelopes. A turn that waits for somebody is `interrupted`. */
export function toRuns(
  row: ConversationRow,
  envelopes: readonly WireEnvelope[],
): readonly JsonObject[] {
  return turnsIn(envelopes).map((turn) => {
    const [first] = turn;
    const last = turn.at(-1);
    const { bundle_id, agent_id } = turn.find(({ type }) => type === 'chat.start')?.data ?? {};
    const agent = textOf(agent_id) === '' ? '' : `${textOf(bundle_id)}/${textOf(agent_id)}`;
    const times = { created_at: first?.ts ?? row.createdAt, updated_at: last?.ts ?? row.lastAt };
    const run = first?.turn_id ?? '';
    return toRun(row, { run, agent, status: statusIn(turn), ...times });
  });
}

function turnsIn(envelopes: readonly WireEnvelope[]): readonly (readonly WireEnvelope[])[] {
  const turns = new Map<string, WireEnvelope[]>();
  for (const envelope of envelopes) {
    const { turn_id: turn } = envelope;
    if (turn === '') continue;
    const own = turns.get(turn) ?? [];
    own.push(envelope);
    turns.set(turn, own);
  }
  return [...turns.values()].filter((turn) => turn.some(({ type }) => type === 'chat.start'));
}

function statusIn(turn: readonly WireEnvelope[]): RunStatus {
  const state = new ThreadState();
  for (const envelope of turn) {
    if (envelope.type === 'chat.error') return 'error';
    if (envelope.type === 'chat.complete') {
      return envelope.data?.['reason'] === 'interrupted' ? 'interrupted' : 'success';
    }
    state.take(envelope);
  }
  return state.interrupts.length > 0 ? 'interrupted' : 'running';
}

type RunFacts = {
  readonly run: string;
  readonly agent: string;
  readonly status: RunStatus;
  readonly created_at: string;
  readonly updated_at: string;
};

function toRun({ id }: ConversationRow, { run, agent, ...facts }: RunFacts): JsonObject {
  return {
    ...{ run_id: run, thread_id: id, assistant_id: agent },
    ...facts,
    ...{ metadata: {}, kwargs: {}, multitask_strategy: 'enqueue' },
  };
}

/** A run that has just begun. */
export function toBegunRun(row: ConversationRow, run: string, agent: string): JsonObject {
  const times = { created_at: row.lastAt, updated_at: row.lastAt };
  return toRun(row, { run, agent, status: 'running', ...times });
}
