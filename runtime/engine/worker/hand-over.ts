import { Work } from '../../base/signal.ts';
import { delegatedOf } from '../agent/turn-data.ts';
import { handOverDeadlineMs } from '../limits.ts';
import { roundClose } from '../perform/close/close-turn.ts';
import { handedOver } from '../plan/round-end.ts';
import type { WorkerSession } from '../session/session.ts';

/** The end of a session; true: there is more to do. A turn that waits for this one would find out by itself, but later. */
export async function releaseLease({ engine, conversation }: WorkerSession): Promise<boolean> {
  const { store, bus } = engine;
  const { row, fence } = conversation.lease;
  const { signal } = conversation;
  const { pending } = await store.release(row.key, { fence, signal });
  const last = conversation.view.turns.at(-1);
  const asked = last?.closed && delegatedOf(last);
  const asking = asked && (await store.find(row, asked.conversation, { signal }));
  if (asking) bus.wake(asking.key);
  return pending;
}

/**
 * What a worker that stops does for a conversation it works on: it ends the round whose answer it no longer waits for,
 * gives the lease back and wakes the others, so that nobody waits for the lease to end or takes this for a crash.
 * Called when everything of the session has come to rest, whose own signal is spent by then.
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
  const { row, fence } = conversation.lease;
  const block = roundClose(openTurn, 'interrupted', { cause: handedOver });
  const op = engine.ids.next('op');
  // The view may lag behind the log when the stop came between an append and its fold; then nothing is written.
  const request = { fence, op, blocks: [block], expectHead: head };
  const done = await engine.store.append(row.key, request, { signal });
  if (done.status !== 'ok') return;
  engine.bus.publish(row.key, [{ kind: 'head', head: done.head }]);
}
