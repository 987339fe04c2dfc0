import { isRefusal } from '../../../base/refusal.ts';
import { Cancelled } from '../../../base/signal.ts';
import { structuredDeadlineMs } from '../../limits.ts';
import { StreamWatch } from '../../model/stream-watch.ts';
import {
  type StructuredAnswer,
  type StructuredRequest,
  structuredCall,
} from '../../model/structured-call.ts';
import type { WorkerSession } from '../../session/session.ts';
import { callBudget } from '../call/call-budget.ts';

/** `fallback` is required: a step goes on without its answer. */
type StepRequest<T> = StructuredRequest<T> & { readonly fallback: { readonly value: T } };

/**
 * A structured question that a step of the open turn puts to the model of a role; the turn pays. A model that fails or
 * stays silent, a steer and a spent budget all give the fallback.
 */
export async function structuredStep<T>(
  session: WorkerSession,
  request: Omit<StepRequest<T>, 'conversation'>,
): Promise<StructuredAnswer<T>> {
  const { engine, agent, turn, conversation } = session;
  using work = session.interruptible(turn.rounds.at(-1)?.asOf ?? turn.openSeq);
  using watch = new StreamWatch(engine.clock, {
    signal: work.signal,
    leftMs: structuredDeadlineMs,
  });
  const model = engine.model(agent, request.role);
  const asked = { ...request, conversation: conversation.lease.row.id };
  const options = {
    signal: watch.signal,
    budget: callBudget(session),
    active: () => watch.noteActivity(),
  };
  try {
    return await structuredCall(model, asked, options);
  } catch (error) {
    conversation.signal.throwIfAborted();
    const isSpent = isRefusal(error) && error.code === 'budget_exhausted';
    if (!isSpent && !(error instanceof Cancelled)) throw error;
    engine.log.info('a structured question was not answered', { turn: turn.id, error });
    return withoutAnswer(request.fallback.value, error.message);
  }
}

/** What was received until then is on the log. */
function withoutAnswer<T>(value: T, because: string): StructuredAnswer<T> {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { value, raw: undefined, level: 'fallback', calls: 0, usage, costUsd: 0, because };
}
