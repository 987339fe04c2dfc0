import { Work } from '../../base/signal.ts';
import { externalPhase } from '../../timeline/prompt-rounds.ts';
import type { TurnView } from '../../timeline/view.ts';
import { delegatedOf } from '../agent/turn-data.ts';
import { handOverDeadlineMs } from '../limits.ts';
import { roundClose } from '../perform/close/close-turn.ts';
import { recordSoon } from '../perform/recall/plan-recording.ts';
import { handedOver } from '../plan/round-end.ts';
import type { WorkerSession } from '../session/session.ts';

/**
 * Ends a session. True: there is more to do. Wakes the turn that waits for this one, or that has to ask a person on its
 * behalf; it would find out by polling, but later.
 */
export async function releaseLease(session: WorkerSession): Promise<boolean> {
  const { engine, conversation } = session;
  const { store, bus } = engine;
  await recordSoon(session);
  const { row, fence } = conversation.lease;
  const { signal } = conversation;
  const { pending } = await store.release(row.key, { fence, signal });
  const last = conversation.view.turns.at(-1);
  const asked = last && (last.closed || isAsking(last)) ? delegatedOf(last) : undefined;
  const asking = asked && (await store.find(row, asked.conversation, { signal }));
  if (asking) bus.wake(asking.key);
  return pending;
}

/** A person has to decide about something. */
function isAsking({ rounds, approvals }: TurnView): boolean {
  const calls = rounds.at(-1)?.calls ?? [];
  const asked = calls.flatMap(({ approval, escalation }) =>
    [approval ?? [], escalation ?? []].flat(),
  );
  return [...asked, ...approvals].some(({ closed }) => !closed);
}

/**
 * Hands a conversation over when the worker stops: ends the round whose reply it no longer waits for, releases the
 * lease and wakes the others, so that no one waits for the lease to expire or takes this for a crash. Called when all
 * work of the session has ended; its own signal is aborted by then.
 */
export async function handOver(session: WorkerSession): Promise<void> {
  const { store, bus } = session.engine;
  const { key } = session.conversation.lease.row;
  const { fence } = session.conversation.lease;
  using work = new Work(new AbortController().signal, { deadlineMs: handOverDeadlineMs });
  const { signal } = work;
  await endRound(session, signal);
  const { pending } = await store.release(key, { fence, handOver: true, signal });
  if (pending) bus.wake(key);
}

async function endRound(
  { engine, conversation }: WorkerSession,
  signal: AbortSignal,
): Promise<void> {
  const { openTurn, head } = conversation.view;
  const round = openTurn?.rounds.at(-1);
  if (!openTurn || !round || round.closed || round.modelCall) return;
  // Its calls and questions are still open; the next owner settles them.
  if (round.phase === externalPhase) return;
  const { row, fence } = conversation.lease;
  const block = roundClose(openTurn, 'interrupted', { cause: handedOver });
  const op = engine.ids.next('op');
  // The view may lag behind the log if the stop came between an append and its fold; then nothing is written.
  const request = { fence, op, blocks: [block], expectHead: head };
  const done = await engine.store.append(row.key, request, { signal });
  if (done.status !== 'ok') return;
  engine.bus.publish(row.key, [{ kind: 'head', head: done.head }]);
}
