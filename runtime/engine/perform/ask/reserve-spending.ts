import { isRefusal } from '../../../base/refusal.ts';
import { outputTokensOf } from '../../agent/reserved-tokens.ts';
import type { ModelRole } from '../../ports/model.ts';
import type { WorkerSession } from '../../session/session.ts';
import { askAboutLimit } from './ask-spending.ts';

/**
 * Room for one reply within what its user and tenant may spend. Undefined: there is none; the user is asked for
 * more, or the log says so and the next plan ends the turn.
 */
export async function reserveSpending(
  session: WorkerSession,
  role: ModelRole,
  inputTokens: number,
): Promise<Disposable | undefined> {
  const { engine, agent, conversation } = session;
  if (!engine.spending) return unlimited;
  const outputTokens = outputTokensOf(agent);
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const costUsd = engine.model(agent, role === 'decision' ? agent.decides : role).costUsd(usage);
  const most = { tokens: inputTokens + outputTokens, costUsd };
  try {
    const { lease, signal } = conversation;
    return await engine.spending.reserve(lease.row, most, { signal });
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'budget_exhausted') throw error;
    // An answer that another call was to write is there already. What a delegated agent asks is asked where its caller works.
    await askAboutLimit(session, { reached: error.message, asks: role === 'decision' });
    return undefined;
  }
}

const unlimited: Disposable = { [Symbol.dispose]: () => undefined };
