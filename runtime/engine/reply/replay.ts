import type { Json } from '../../base/json.ts';
import { firstDifference, type JsonDifference } from '../../base/json-diff.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import { foldAll } from '../../timeline/fold/fold.ts';
import {
  isAnswer,
  type PastRound,
  pastRounds,
  rendererOf,
  renderPastRound,
} from '../../timeline/render/past-rounds.ts';
import { createTurnLedger } from '../../tools/services/turn-ledger.ts';
import { parsePolicy, type ReplyPolicy, rulesFor } from '../agent/policy-text.ts';
import { besideOf, hashPrompt } from '../agent/prompt-hash.ts';
import { blocksFromReply } from './blocks-from-reply.ts';
import { rebuildAnswer } from './rebuild-answer.ts';
import { callOf, Recorded, rereadReply, silentPublisher } from './reread-reply.ts';

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
  /** Called after each round. */
  readonly progress?: (done: number, of: number) => void | Promise<void>;
};

/** Rebuilds every prompt of a log and reads every reply again. Stops at the first difference. */
export async function replay(
  blocks: readonly Block[],
  { text, progress }: ReplayOptions,
): Promise<ReplayReport> {
  const count = { prompts: 0, replies: 0, unrecorded: 0 };
  const rounds = blocks.filter(({ type }) => type === 'round.open').length;
  let done = 0;
  for (const past of pastRounds(blocks)) {
    const texts = await textsOf(past, text);
    const divergence =
      comparePrompt(past, texts) ?? (await compareReply(past, { blocks, text, texts, count }));
    if (divergence) return { ...count, divergence };
    if (past.opened.prompt === undefined) count.unrecorded += 1;
    else count.prompts += 1;
    done += 1;
    await progress?.(done, rounds);
  }
  return count;
}

type Texts = {
  readonly system: string;
  readonly announce: string;
  readonly policy: string;
  readonly offer: string | undefined;
};

async function textsOf({ opened }: PastRound, text: ReplayOptions['text']): Promise<Texts> {
  const { system, announce, policy, offer } = opened.hashes;
  return {
    system: await text(system),
    announce: await text(announce),
    policy: await text(policy),
    offer: offer === undefined ? undefined : await text(offer),
  };
}

function comparePrompt(
  past: PastRound,
  { system, announce, offer }: Texts,
): Divergence | undefined {
  const { renderer, prompt } = past.opened;
  if (prompt === undefined) return undefined;
  const beside = besideOf(past.opened, offer);
  const now = hashPrompt({ system, parts: renderPastRound(past, announce).parts, beside });
  const was = { data: { renderer, prompt } };
  const is = { data: { renderer: rendererOf(past), prompt: now } };
  return now === prompt ? undefined : at(past.open, firstDifference(was, is));
}

type ComparisonOptions = Pick<ReplayOptions, 'text'> & {
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
    using publisher = silentPublisher();
    const recordedCall = callOf(recorded);
    return rebuildAnswer(context, { opened, raw, publisher, reply: call.blob, recordedCall });
  }
  const { last, carry } = recorded;
  const { keepsShown } = policy;
  const rules = rulesFor(policy, turn);
  const generated = rereadReply(raw, { turn, round, policy: { ...policy, rules }, recorded });
  return blocksFromReply(context, {
    generated,
    reply: call.blob,
    carry,
    rules,
    round,
    last,
    keepsShown,
  });
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
