import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import { type ConversationKey, toSeq } from '../../timeline/ids.ts';
import type {
  ConversationFacts,
  ConversationFilter,
  ConversationState,
  FailureRow,
  IdleFilter,
  IdleRow,
  Overview,
  Passage,
  RatingRow,
  ToolRow,
  UsageGroup,
  UsageQuery,
  UsageRow,
  WorkingRow,
} from '../../timeline/ports/overview.ts';
import type { ConversationRow, OwnerFilter } from '../../timeline/ports/store.ts';
import { toSnippet } from '../../timeline/search/snippet.ts';
import type { Conversation } from './conversation.ts';
import { countCall, failuresIn, isWithin, requestOf } from './failures.ts';
import { readLog } from './lineage.ts';
import { saidIn } from './select-rows.ts';

type Page = { readonly limit: number };
type ListPage = Page & {
  readonly before?: Pick<ConversationRow, 'lastAt' | 'key'>;
  readonly filter?: ConversationFilter;
};

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
    { limit, before, filter = {} }: ListPage,
  ): Promise<readonly ConversationRow[]> {
    const rows = this.#of(whose)
      .filter((each) => this.#isWanted(each, filter))
      .map(({ row }) => ({ ...row }))
      .toSorted(byActivity);
    return rows.filter((row) => !before || byActivity(before, row) < 0).slice(0, limit);
  }

  async forks(key: ConversationKey, { limit }: Page): Promise<readonly ConversationRow[]> {
    const original = this.#conversations.find(({ row }) => row.key === key);
    return this.#conversations
      .filter(({ erasedAtMs }) => erasedAtMs === undefined)
      .filter((each) => each.parent?.row.key === key || (original && repeats(each, original)))
      .map(({ row }) => ({ ...row }))
      .slice(0, limit);
  }

  async facts(keys: readonly ConversationKey[]): Promise<readonly ConversationFacts[]> {
    return keys.flatMap((key) => {
      const found = this.#conversations.find(({ row }) => row.key === key);
      return found ? [this.#factsOf(found)] : [];
    });
  }

  async passages(keys: readonly ConversationKey[], text: string): Promise<readonly Passage[]> {
    return this.#conversations.flatMap(({ row: { key }, blocks }) => {
      const said = keys.includes(key) ? saidIn(blocks, text) : undefined;
      return said ? [{ key, seq: said.seq, text: toSnippet(said)?.text ?? '' }] : [];
    });
  }

  #factsOf(conversation: Conversation): ConversationFacts {
    const { row, blocks } = conversation;
    const calls = blocks.filter(({ type }) => type === 'model.call');
    const sum = calls.reduce<UsageRow | undefined>(
      (all, block) => add(all, { key: '', block }),
      undefined,
    );
    const close = blocks.findLast(({ type }) => type === 'turn.close');
    const state = row.openTurn === undefined ? endOf(close) : this.#stateOf(conversation);
    const last = readAll(conversation).findLast(({ type }) => type === 'turn.open');
    const agent = last && agentOf(last, [last]);
    return {
      ...{ key: row.key, calls: calls.length, costUsd: sum?.costUsd ?? 0, state },
      agent: agent === '' ? undefined : agent,
    };
  }

  #stateOf(conversation: Conversation): ConversationState {
    return this.#toWorking(conversation).state === 'parked' ? 'waiting' : 'working';
  }

  #isWanted(
    conversation: Conversation,
    { text, from, to, state, agent, costUsd = 0 }: ConversationFilter,
  ): boolean {
    const { id, title = '', user, lastAt } = conversation.row;
    const facts = this.#factsOf(conversation);
    return (
      (text === undefined ||
        id === text ||
        `${title}\n${user}`.toLowerCase().includes(text.toLowerCase()) ||
        saidIn(conversation.blocks, text) !== undefined) &&
      (from === undefined || Date.parse(lastAt) >= Date.parse(from)) &&
      (to === undefined || Date.parse(lastAt) < Date.parse(to)) &&
      (state === undefined || facts.state === state) &&
      (agent === undefined || facts.agent === agent) &&
      facts.costUsd >= costUsd
    );
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

  async failures(
    whose: OwnerFilter,
    period: Pick<UsageQuery, 'from' | 'to' | 'limit'>,
  ): Promise<readonly FailureRow[]> {
    return this.#of(whose)
      .flatMap((conversation) => failuresIn(conversation, period))
      .toSorted((a, b) => b.at.localeCompare(a.at) || b.seq - a.seq)
      .slice(0, period.limit);
  }

  async tools(
    whose: OwnerFilter,
    period: Pick<UsageQuery, 'from' | 'to' | 'limit'>,
  ): Promise<readonly ToolRow[]> {
    const rows = new Map<string, ToolRow>();
    for (const { blocks } of this.#of(whose)) {
      for (const block of blocks) {
        if (block.type !== 'react.tool.result' || !isWithin(block, period)) continue;
        const request = requestOf(block, blocks);
        if (request)
          rows.set(request.tool, countCall(rows.get(request.tool), { block, ...request }));
      }
    }
    return [...rows.values()]
      .toSorted((a, b) => b.failed - a.failed || b.calls - a.calls || (a.tool < b.tool ? -1 : 1))
      .slice(0, period.limit);
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

function endOf(close: Block | undefined): ConversationState {
  const { reason } = isJsonObject(close?.data) ? close.data : {};
  return reason === 'failed' || reason === 'exhausted' ? 'failed' : 'done';
}

/** Its first turn is one of the original that was run again. */
function repeats({ row, blocks, parent }: Conversation, original: Conversation): boolean {
  const { tenant, project, user, id } = original.row;
  if (parent || row.tenant !== tenant || row.project !== project || row.user !== user) return false;
  const { rerun_of: of } = isJsonObject(blocks[0]?.data) ? blocks[0].data : {};
  return isJsonObject(of) && of['conversation'] === id;
}

function bundleOf(conversation: Conversation): string | undefined {
  const last = readAll(conversation).findLast(({ type }) => type === 'turn.open');
  const { bundle } = isJsonObject(last?.data) ? last.data : {};
  return typeof bundle === 'string' ? bundle : undefined;
}

function readAll(conversation: Conversation): readonly Block[] {
  return readLog(conversation, toSeq(0), Number.MAX_SAFE_INTEGER);
}

type Activity = Pick<ConversationRow, 'lastAt' | 'key'>;

function byActivity(a: Activity, b: Activity): number {
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
