import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import { type ConversationKey, toSeq } from '../../timeline/ids.ts';
import type {
  IdleFilter,
  IdleRow,
  Overview,
  RatingRow,
  UsageGroup,
  UsageQuery,
  UsageRow,
  WorkingRow,
} from '../../timeline/ports/overview.ts';
import type { ConversationRow, OwnerFilter } from '../../timeline/ports/store.ts';
import type { Conversation } from './conversation.ts';
import { readLog } from './lineage.ts';

type Page = { readonly limit: number };

/** Reads over many conversations; as in the SQL store. */
export class MemoryOverview implements Overview {
  readonly #conversations: readonly Conversation[];
  readonly #now: () => number;

  constructor(conversations: readonly Conversation[], now: () => number) {
    this.#conversations = conversations;
    this.#now = now;
  }

  async conversations(
    whose: OwnerFilter,
    { limit, before }: Page & { readonly before?: ConversationRow },
  ): Promise<readonly ConversationRow[]> {
    const rows = this.#of(whose)
      .map(({ row }) => ({ ...row }))
      .toSorted(byActivity);
    return rows.filter((row) => !before || byActivity(before, row) < 0).slice(0, limit);
  }

  async forks(key: ConversationKey, { limit }: Page): Promise<readonly ConversationRow[]> {
    return this.#conversations
      .filter(({ parent, erasedAtMs }) => parent?.row.key === key && erasedAtMs === undefined)
      .map(({ row }) => ({ ...row }))
      .slice(0, limit);
  }

  async working(whose: OwnerFilter, { limit }: Page): Promise<readonly WorkingRow[]> {
    return this.#of(whose)
      .filter(({ row }) => row.openTurn !== undefined)
      .toSorted((a, b) => a.row.lastAt.localeCompare(b.row.lastAt))
      .slice(0, limit)
      .map((each) => this.#toWorking(each));
  }

  async usage(whose: OwnerFilter, query: UsageQuery): Promise<readonly UsageRow[]> {
    const rows = new Map<string, UsageRow>();
    for (const conversation of this.#of(whose)) {
      for (const block of conversation.blocks) {
        if (block.type !== 'model.call' || !isWithin(block, query)) continue;
        const key = keyOf(query.by, { block, conversation });
        rows.set(key, add(rows.get(key), { key, block }));
      }
    }
    const byKey = (a: UsageRow, b: UsageRow) => (a.key < b.key ? -1 : 1);
    const order =
      query.by === 'day'
        ? (a: UsageRow, b: UsageRow) => byKey(b, a)
        : (a: UsageRow, b: UsageRow) => b.costUsd - a.costUsd || b.calls - a.calls || byKey(a, b);
    return [...rows.values()].toSorted(order).slice(0, query.limit);
  }

  async ratings(
    whose: OwnerFilter,
    period: Pick<UsageQuery, 'from' | 'to'>,
  ): Promise<readonly RatingRow[]> {
    const rows = new Map<string, RatingRow>();
    for (const conversation of this.#of(whose)) {
      const given = conversation.blocks.filter(
        (block) => block.type === 'feedback' && isWithin(block, period),
      );
      for (const block of new Map(given.map((each) => [each.path, each])).values()) {
        const { turn_id: turn, origin, reaction } = dataOf('feedback', block) ?? {};
        if (!turn || !origin || !reaction) continue;
        const agent = agentOf({ turn }, readAll(conversation));
        const key = JSON.stringify([agent, origin, reaction]);
        const count = (rows.get(key)?.count ?? 0) + 1;
        rows.set(key, { agent, origin, reaction, count });
      }
    }
    return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  async idle(
    whose: OwnerFilter,
    { since, limit, bundle, except = [] }: Page & IdleFilter & { readonly since: string },
  ): Promise<readonly IdleRow[]> {
    return this.#of(whose)
      .filter(({ row }) => row.openTurn === undefined)
      .filter(({ row }) => Date.parse(row.lastAt) < Date.parse(since))
      .toSorted((a, b) => a.row.lastAt.localeCompare(b.row.lastAt) || a.row.key - b.row.key)
      .map((each) => ({ row: { ...each.row }, bundle: bundleOf(each) }))
      .filter((each) => bundle === undefined || each.bundle === bundle)
      .filter((each) => each.bundle === undefined || !except.includes(each.bundle))
      .slice(0, limit);
  }

  #toWorking({ row, leasedUntilMs = 0, parked = 0, attempts, dueAtMs }: Conversation): WorkingRow {
    const waits = row.reactive > Math.max(row.answered, parked) ? 'due' : 'parked';
    return {
      row: { ...row },
      state: leasedUntilMs > this.#now() ? 'running' : waits,
      attempts,
      ...(dueAtMs === undefined ? {} : { dueAt: new Date(dueAtMs).toISOString() }),
    };
  }

  #of({ tenant, project, user }: OwnerFilter): readonly Conversation[] {
    return this.#conversations.filter(
      ({ row, erasedAtMs }) =>
        erasedAtMs === undefined &&
        row.tenant === tenant &&
        row.project === project &&
        (user === undefined || row.user === user),
    );
  }
}

function bundleOf(conversation: Conversation): string | undefined {
  const last = readAll(conversation).findLast(({ type }) => type === 'turn.open');
  const { bundle } = isJsonObject(last?.data) ? last.data : {};
  return typeof bundle === 'string' ? bundle : undefined;
}

function readAll(conversation: Conversation): readonly Block[] {
  return readLog(conversation, toSeq(0), Number.MAX_SAFE_INTEGER);
}

function isWithin({ at }: Block, { from, to }: Pick<UsageQuery, 'from' | 'to'>): boolean {
  return Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to);
}

function byActivity(a: ConversationRow, b: ConversationRow): number {
  return b.lastAt.localeCompare(a.lastAt) || b.key - a.key;
}

type Place = { readonly block: Block; readonly conversation: Conversation };

function keyOf(by: UsageGroup, { block, conversation }: Place): string {
  const data = isJsonObject(block.data) ? block.data : {};
  switch (by) {
    case 'day':
      return block.at.slice(0, 10);
    case 'model':
      return String(data['model'] ?? '');
    case 'role':
      return String(data['role'] ?? 'decision');
    case 'user':
      return conversation.row.user;
    case 'conversation':
      return conversation.row.id;
    case 'agent':
      return agentOf(block, conversation.blocks);
  }
}

function agentOf({ turn }: Pick<Block, 'turn'>, blocks: readonly Block[]): string {
  const open = blocks.find((block) => block.type === 'turn.open' && block.turn === turn);
  const { bundle, agent } = isJsonObject(open?.data) ? open.data : {};
  return typeof bundle === 'string' && typeof agent === 'string' ? `${bundle}/${agent}` : '';
}

function add(
  sum: Omit<UsageRow, 'key'> | undefined,
  { key, block }: { readonly key: string; readonly block: Block },
): UsageRow {
  const { usage } = isJsonObject(block.data) ? block.data : {};
  const count = (field: string) => (isJsonObject(usage) ? Number(usage[field] ?? 0) : 0);
  return {
    key,
    calls: (sum?.calls ?? 0) + 1,
    inputTokens: (sum?.inputTokens ?? 0) + count('input_tokens'),
    outputTokens: (sum?.outputTokens ?? 0) + count('output_tokens'),
    cacheReadTokens: (sum?.cacheReadTokens ?? 0) + count('cache_read_tokens'),
    cacheWriteTokens: (sum?.cacheWriteTokens ?? 0) + count('cache_write_tokens'),
    costUsd: (sum?.costUsd ?? 0) + count('cost_usd'),
  };
}
