import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { firstDifference, type JsonDifference } from '../../base/json-diff.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import { foldAll } from '../../timeline/fold/fold.ts';
import { callIdSchema, toConversationKey } from '../../timeline/ids.ts';
import {
  isAnswer,
  type PastRound,
  pastRounds,
  rendererOf,
  renderPastRound,
} from '../../timeline/render/past-rounds.ts';
import type { TurnView } from '../../timeline/view.ts';
import { createTurnLedger } from '../../tools/services/turn-ledger.ts';
import { parsePolicy, type ReplyPolicy, rulesFor } from '../agent/policy-text.ts';
import { hashPrompt } from '../agent/prompt-hash.ts';
import { Publisher } from '../live/publisher.ts';
import { blocksFromReply } from './blocks-from-reply.ts';
import { createReplyReader, type GeneratedReply, type Reply } from './read-reply.ts';
import { rebuildAnswer } from './rebuild-answer.ts';

/** Where a log differs from its replay: `seq` and `type` of the block, and the first field that differs. */
export type Divergence = JsonDifference & { readonly seq: number; readonly type: string };

export type ReplayReport = {
  /** Rebuilt prompts that match the bytes that were sent. */
  readonly prompts: number;
  /** Replies that were read again and gave the recorded blocks. */
  readonly replies: number;
  /** Rounds of an earlier version, which stored too little to compare. */
  readonly unrecorded: number;
  readonly divergence?: Divergence;
};

type ReplayOptions = {
  /** Loads a text by its hash on the log. */
  readonly text: (hash: string) => Promise<string>;
};

/** Rebuilds every prompt of a log and reads every reply again. Stops at the first difference. */
export async function replay(
  blocks: readonly Block[],
  { text }: ReplayOptions,
): Promise<ReplayReport> {
  const count = { prompts: 0, replies: 0, unrecorded: 0 };
  for (const past of pastRounds(blocks)) {
    const texts = await textsOf(past, text);
    const divergence =
      comparePrompt(past, texts) ?? (await compareReply(past, { blocks, text, texts, count }));
    if (divergence) return { ...count, divergence };
    if (past.opened.prompt === undefined) count.unrecorded += 1;
    else count.prompts += 1;
  }
  return count;
}

type Texts = { readonly system: string; readonly announce: string; readonly policy: string };

async function textsOf({ opened }: PastRound, text: ReplayOptions['text']): Promise<Texts> {
  const { system, announce, policy } = opened.hashes;
  return { system: await text(system), announce: await text(announce), policy: await text(policy) };
}

function comparePrompt(past: PastRound, { system, announce }: Texts): Divergence | undefined {
  const { renderer, prompt } = past.opened;
  if (prompt === undefined) return undefined;
  const now = hashPrompt({ system, parts: renderPastRound(past, announce).parts });
  const was = { data: { renderer, prompt } };
  const is = { data: { renderer: rendererOf(past), prompt: now } };
  return now === prompt ? undefined : at(past.open, firstDifference(was, is));
}

type ComparisonOptions = ReplayOptions & {
  readonly blocks: readonly Block[];
  readonly texts: Texts;
  readonly count: { replies: number; unrecorded: number };
};

async function compareReply(
  past: PastRound,
  { blocks, text, texts, count }: ComparisonOptions,
): Promise<Divergence | undefined> {
  const call = modelCallOf(past, blocks);
  const recorded = call && Recorded.safeParse(call.data);
  const policy = parsePolicy(texts.policy);
  if (!call || !recorded?.success || !policy) return undefined;
  const raw = call.blob ? await text(call.blob.hash) : '';
  const { finish, unread } = recorded.data;
  if (unread || (raw === '' && finish !== 'interrupted')) return undefined;
  const drafts = rebuildBlocks(past, { blocks, call, raw, policy, recorded: recorded.data });
  count.replies += 1;
  return compareBlocks(blocks, { call, drafts });
}

function modelCallOf({ open }: PastRound, blocks: readonly Block[]): Block | undefined {
  const after = blocks.slice(blocks.indexOf(open) + 1);
  const end = after.findIndex(({ type }) =>
    ['round.open', 'compact.open', 'turn.close'].includes(type),
  );
  return after
    .slice(0, end < 0 ? after.length : end)
    .find(({ type, turn }) => type === 'model.call' && turn === open.turn);
}

const tokens = z.number().default(0);
const Recorded = z.looseObject({
  model: z.string(),
  finish: z.enum(['stop', 'length', 'refusal', 'unknown', 'interrupted', 'violation']),
  cost_usd: z.number(),
  estimated: z.boolean().default(false),
  ms: z.number(),
  first_token_ms: z.number().optional(),
  last: z.boolean().default(false),
  /** Of a reply that broke off, only the cost is kept. */
  unread: z.boolean().default(false),
  usage: z.looseObject({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_tokens: tokens,
    cache_write_tokens: tokens,
  }),
  actions: z.array(z.looseObject({ call: callIdSchema })),
});
type Recorded = z.output<typeof Recorded>;

type RecordedReply = {
  readonly blocks: readonly Block[];
  readonly call: Block;
  readonly raw: string;
  readonly policy: ReplyPolicy;
  readonly recorded: Recorded;
};

function rebuildBlocks(
  past: PastRound,
  { blocks, call, raw, policy, recorded }: RecordedReply,
): readonly Draft[] {
  const { open, opened, view: shown } = past;
  const until = blocks.filter(({ seq }) => seq > opened.as_of && seq <= open.seq);
  const view = foldAll(shown, until);
  const turn = view.turns.find(({ id }) => id === open.turn);
  if (!turn) return [];
  const context = {
    turn,
    agent: policy.agent,
    engine: { ids: recordedIds(recorded) },
    ledger: createTurnLedger(view, turn.id),
  };
  const { round } = opened;
  if (isAnswer(opened)) {
    using publisher = new Publisher(silentBus, { key: toConversationKey(0), fence: 0, head: 0 });
    const recordedCall = callOf(recorded);
    return rebuildAnswer(context, { opened, raw, publisher, reply: call.blob, recordedCall });
  }
  const { last } = recorded;
  const { keepsShown } = policy;
  const rules = rulesFor(policy, turn);
  const generated = rereadReply(raw, { turn, round, policy: { ...policy, rules }, recorded });
  return blocksFromReply(context, { generated, reply: call.blob, rules, round, last, keepsShown });
}

/** Returns the recorded ids again, in the same order. */
function recordedIds({ actions }: Recorded): { next(prefix: string): string } {
  const calls = actions.map(({ call }) => call);
  let given = 0;
  return {
    next: (prefix) => {
      given += 1;
      return calls[given - 1] ?? `${prefix}_replayed_${given}`;
    },
  };
}

type RereadOptions = {
  readonly turn: TurnView;
  readonly round: number;
  readonly policy: ReplyPolicy;
  readonly recorded: Recorded;
};

function rereadReply(
  raw: string,
  { turn, round, policy, recorded }: RereadOptions,
): GeneratedReply {
  using publisher = new Publisher(silentBus, { key: toConversationKey(0), fence: 0, head: 0 });
  const reader = createReplyReader({
    channels: policy.channels,
    rules: policy.rules,
    context: { agent: policy.agent, turn },
    place: { turn: turn.id, round },
    publisher,
    resolve: () => undefined,
    identified: () => undefined,
  });
  reader.push(raw);
  return { ...reader.end(), ...callOf(recorded) };
}

/** What the log has of a call, as it was when the reply was read first. */
function callOf(recorded: Recorded): Omit<GeneratedReply, keyof Reply> {
  const { model, finish, usage, estimated, ms } = recorded;
  const { cost_usd: costUsd, first_token_ms: firstTokenMs } = recorded;
  return {
    model,
    finish,
    estimated,
    costUsd,
    ms,
    firstTokenMs,
    usage: {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_tokens,
      cacheWriteTokens: usage.cache_write_tokens,
    },
  };
}

const silentBus = {
  publish: () => undefined,
  subscribe: () => ({ [Symbol.dispose]: () => undefined }),
};

/** All blocks of a reply share one append, so they are adjacent to the `model.call`. */
function compareBlocks(
  blocks: readonly Block[],
  { call, drafts }: { call: Block; drafts: readonly Draft[] },
): Divergence | undefined {
  const first = blocks.indexOf(call) - drafts.findIndex(({ type }) => type === 'model.call');
  for (const [index, draft] of drafts.entries()) {
    const block = blocks[first + index];
    const difference = firstDifference(block ? comparable(block) : null, comparable(draft));
    if (difference) return at(block ?? call, difference);
  }
  return undefined;
}

/** The fields that the writer sets; the store adds the others. */
function comparable({
  type,
  turn,
  author,
  path,
  call,
  mime,
  text,
  data,
  blob,
  meta = {},
}: Draft): Json {
  return JSON.parse(
    JSON.stringify({ type, turn, author, path, call, mime, text, data, blob, meta }),
  );
}

function at({ seq, type }: Block, difference: JsonDifference | undefined): Divergence | undefined {
  return difference && { seq, type, ...difference };
}
