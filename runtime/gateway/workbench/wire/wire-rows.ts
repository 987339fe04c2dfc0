import type { Overview, UsageRow, WorkingRow } from '../../../timeline/ports/overview.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';

export function toWireConversation(row: ConversationRow): object {
  const { id, user, title, head, openTurn, createdAt, lastAt, forkedFrom } = row;
  return {
    id,
    user,
    title: title ?? '',
    head,
    created_at: createdAt,
    last_activity_at: lastAt,
    ...(openTurn !== undefined && { active_turn_id: openTurn }),
    ...(forkedFrom && {
      forked_from: { conversation_id: forkedFrom.conversation, seq: forkedFrom.seq },
    }),
  };
}

/** Rows with what a list shows beside them. */
export async function withFacts(
  rows: readonly ConversationRow[],
  overview: Overview,
  signal: AbortSignal,
): Promise<readonly object[]> {
  const facts = await overview.facts(
    rows.map(({ key }) => key),
    { signal },
  );
  const byKey = new Map(facts.map((each) => [each.key, each]));
  return rows.map((row) => {
    const { calls = 0, costUsd = 0, agent, state } = byKey.get(row.key) ?? {};
    const known = { calls, cost_usd: costUsd, state };
    return { ...toWireConversation(row), ...known, ...(agent !== undefined && { agent }) };
  });
}

export function toWireUsage(row: UsageRow): object {
  return {
    key: row.key,
    calls: row.calls,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cache_read_tokens: row.cacheReadTokens,
    cache_write_tokens: row.cacheWriteTokens,
    cost_usd: row.costUsd,
  };
}

export function toWireWorking({ row, state, worker, attempts, dueAt }: WorkingRow): object {
  return {
    ...toWireConversation(row),
    state,
    attempts,
    ...(worker !== undefined && { worker }),
    ...(dueAt !== undefined && { due_at: dueAt }),
  };
}
