import { isRefusal } from '../../../base/refusal.ts';
import { outputTokensOf } from '../../agent/reserved-tokens.ts';
import { noticeOf } from '../../plan/notice.ts';
import { spendNotice } from '../../plan/spend-refusal.ts';
import type { ModelRole } from '../../ports/model.ts';
import type { WorkerSession } from '../../session/session.ts';

/**
 * Room for one reply within what its user and tenant may spend. Undefined: there is none; the log says so, and the next
 * plan ends the turn.
 */
export async function reserveSpending(
  session: WorkerSession,
  role: ModelRole,
  inputTokens: number,
): Promise<Disposable | undefined> {
  const { engine, agent, turn, conversation } = session;
  if (!engine.spending) return unlimited;
  const outputTokens = outputTokensOf(agent);
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const costUsd = engine.model(agent, role).costUsd(usage);
  const most = { tokens: inputTokens + outputTokens, costUsd };
  try {
    const { lease, signal } = conversation;
    return await engine.spending.reserve(lease.row, most, { signal });
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'budget_exhausted') throw error;
    const notice = { text: error.message, data: { code: spendNotice } };
    await conversation.append([noticeOf(turn, notice)]);
    return undefined;
  }
}

const unlimited: Disposable = { [Symbol.dispose]: () => undefined };
