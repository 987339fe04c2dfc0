import type { WorkerSession } from '../../session/session.ts';

/**
 * Releases a waiting turn until its time, or until an event arrives. Events that arrived after the plan are newer
 * than `asOf` and resume the turn at once.
 */
export async function parkTurn(
  { conversation, engine }: WorkerSession,
  { untilMs }: { untilMs: number },
): Promise<void> {
  const dueInMs = Math.max(0, untilMs - engine.clock.now());
  await conversation.append([], { asOf: conversation.view.head, dueInMs });
}
