import type { Overview, UsageRow, WorkingRow } from '../../../timeline/ports/overview.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { excerptOf } from '../../../timeline/search/excerpt.ts';

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

type Facts = { readonly signal: AbortSignal; readonly searched?: string };

/** Rows with what a list shows beside them: with what was searched, the passage where it was said. */
export async function withFacts(
  rows: readonly ConversationRow[],
  overview: Overview,
  { signal, searched }: Facts,
): Promise<readonly object[]> {
  const keys = rows.map(({ key }) => key);
  const [facts, passages] = await Promise.all([
    overview.facts(keys, { signal }),
    searched === undefined ? [] : overview.passages(keys, searched, { signal }),
  ]);
  const byKey = new Map(facts.map((each) => [each.key, each]));
  const saidIn = new Map(passages.map((each) => [each.key, each]));
  return rows.map((row) => {
    const { calls = 0, costUsd = 0, agent, state } = byKey.get(row.key) ?? {};
    const said = saidIn.get(row.key);
    return {
      ...toWireConversation(row),
      ...{ calls, cost_usd: costUsd, state, ...(agent !== undefined && { agent }) },
      ...(said && { passage: { block: said.seq, ...excerptOf(said.text, searched ?? '') } }),
    };
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
