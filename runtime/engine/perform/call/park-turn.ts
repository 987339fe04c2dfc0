import type { WorkerSession } from '../../session/session.ts';

/**
 * Gives a waiting turn out of hand: nobody need look at it before its time, unless somebody says something. What came
 * since the plan was made is newer than `asOf` and takes the turn up at once.
 */
export async function parkTurn(
  { conversation, engine }: WorkerSession,
  { untilMs }: { untilMs: number },
): Promise<void> {
  const dueInMs = Math.max(0, untilMs - engine.clock.now());
  await conversation.append([], { asOf: conversation.view.head, dueInMs });
}
