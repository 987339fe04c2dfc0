import type { Clock } from '../../base/clock.ts';
import type { Block } from '../../timeline/block.ts';
import { toSeq } from '../../timeline/ids.ts';
import { feedbackBlocksMax } from '../../timeline/limits.ts';
import type {
  ConversationFeedback,
  FeedbackQuery,
  MemoryRange,
  OwnerFilter,
  Sender,
  Snippet,
  SnippetQuery,
  SnippetToEmbed,
  SnippetVector,
  TurnPage,
  TurnQuery,
} from '../../timeline/ports/store.ts';
import type { Conversation } from './conversation.ts';
import { readLog, sharedOf, writerOf } from './lineage.ts';
import { entriesOf, type KeyedLog, listTurns, searchLogs } from './search.ts';

type Vectors = Map<string, readonly number[] | undefined>;

/** Memory search over the given conversations, which keep growing. */
export class Memory {
  readonly #clock: Clock;
  readonly #conversations: readonly Conversation[];
  /** Vectors of snippets, by space; a snippet without a vector cannot be embedded. */
  readonly #spaces = new Map<string, Vectors>();
  readonly #claimedUntilMs = new Map<string, number>();

  constructor(conversations: readonly Conversation[], clock: Clock) {
    this.#conversations = conversations;
    this.#clock = clock;
  }

  search(sender: Sender, query: SnippetQuery): readonly Snippet[] {
    const kept = this.#spaces.get(query.vector?.space ?? '');
    const vectorOf = (id: string) => kept?.get(id);
    return searchLogs(this.#logs(sender, query), { query, nowMs: this.#clock.now(), vectorOf });
  }

  turns(sender: Sender, query: TurnQuery): TurnPage {
    return listTurns(this.#logs(sender, query), query);
  }

  feedback(whose: OwnerFilter, query: FeedbackQuery): readonly ConversationFeedback[] {
    const { conversation, before = Number.POSITIVE_INFINITY, limit } = query;
    const whole = conversation !== undefined;
    return this.#of(whose, query)
      .filter(({ row }) => row.key < before)
      .map((each) => ({ row: { ...each.row }, blocks: feedbackIn(toLog(each, { whole }), query) }))
      .filter(({ blocks }) => whole || blocks.length > 0)
      .sort((a, b) => b.row.key - a.row.key)
      .slice(0, limit);
  }

  claim(
    space: string,
    { limit, ttlMs }: { limit: number; ttlMs: number },
  ): readonly SnippetToEmbed[] {
    const nowMs = this.#clock.now();
    if ((this.#claimedUntilMs.get(space) ?? 0) > nowMs) return [];
    const kept = this.#spaces.get(space);
    const open = this.#conversations
      .filter(({ erasedAtMs }) => erasedAtMs === undefined)
      .map((each) => toLog(each))
      .flatMap((log) => entriesOf(log).map((entry) => ({ key: log.key, entry })))
      .filter(({ entry }) => !kept?.has(entry.id))
      .slice(0, limit)
      .map(({ key, entry: { seq, text } }) => ({ key, seq, id: 0, text }));
    if (open.length > 0) this.#claimedUntilMs.set(space, nowMs + ttlMs);
    return open;
  }

  keep(space: string, vectors: readonly SnippetVector[]): void {
    const kept: Vectors =
      this.#spaces.get(space) ?? new Map<string, readonly number[] | undefined>();
    for (const { key, seq, vector } of vectors) {
      if (this.#conversations[key - 1]?.erasedAtMs === undefined) kept.set(`${key}.${seq}`, vector);
    }
    this.#spaces.set(space, kept);
    this.#claimedUntilMs.delete(space);
  }

  #logs(sender: Sender, range: MemoryRange): readonly KeyedLog[] {
    const whole = range.conversation !== undefined;
    return this.#of(sender, range).map((each) => toLog(each, { whole }));
  }

  #of(
    { tenant, project, user }: OwnerFilter,
    { conversation }: { readonly conversation?: string },
  ): readonly Conversation[] {
    return this.#conversations.filter(
      ({ row, erasedAtMs }) =>
        erasedAtMs === undefined &&
        row.tenant === tenant &&
        row.project === project &&
        (user === undefined || row.user === user) &&
        (conversation === undefined || row.id === conversation),
    );
  }
}

function feedbackIn({ blocks, after }: KeyedLog, { from, to }: FeedbackQuery): readonly Block[] {
  const isWanted = ({ type, seq, at }: Block) =>
    type === 'feedback' &&
    seq > after &&
    (from === undefined || Date.parse(at) >= Date.parse(from)) &&
    (to === undefined || Date.parse(at) < Date.parse(to));
  return blocks.filter(isWanted).slice(-feedbackBlocksMax);
}

/** Shared blocks of a fork are found in the conversation that wrote them, unless the search is limited to the fork. */
function toLog(conversation: Conversation, { whole = false } = {}): KeyedLog {
  const { row } = conversation;
  return {
    key: row.key,
    blocks: readLog(conversation, toSeq(0), row.head),
    after: whole ? 0 : sharedOf(row),
    keyOf: (seq) => writerOf(conversation, toSeq(seq)).row.key,
  };
}
