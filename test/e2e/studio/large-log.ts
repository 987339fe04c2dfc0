import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Block, Draft } from '../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../runtime/timeline/fold/fold.ts';
import { type TurnId, toCallId, toTurnId } from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import { planPrune } from '../../../runtime/timeline/prune/prune.ts';
import type { View } from '../../../runtime/timeline/view.ts';
import { type Stage, scope, signal } from '../../runtime/gateway/stage.ts';

const roundsPerTurn = 6;
const everyTurns = 8;

/** A conversation of many blocks, as an engine would have written it: long results, old turns pruned. */
export async function writeLargeLog(
  { deps }: Stage,
  { conversation, blocks }: { conversation: string; blocks: number },
): Promise<void> {
  const keep = async (text: string) =>
    await deps.blobs.put(scope.tenant, new TextEncoder().encode(text), { signal });
  const [system, policy] = [await keep('You keep records.'), await keep('{}')];
  const announce = await keep('ANNOUNCE - Round 1/15\n');
  const reply = await keep('<channel:thinking>I read the next record.</channel:thinking>');
  const hashes = { system: system.hash, announce: announce.hash, policy: policy.hash };
  let view = emptyView;
  for (let turn = 1; view.head < blocks; turn += 1) {
    const id = toTurnId(randomIds.next('turn'));
    const { key, windowSeq: _ } = await accept({ deps }, { conversation, turn, id });
    const lease = await deps.store.acquire(key, { worker: 'w', ttlMs: 60_000, signal });
    if (!lease) throw new Error('the conversation has an owner');
    const append = async (drafts: readonly Draft[], more = {}) => {
      const op = randomIds.next('op');
      await deps.store.append(key, { fence: lease.fence, op, blocks: drafts, ...more }, { signal });
      view = await foldNew(view);
    };
    const foldNew = async (before: View) => {
      const page = { after: before.head, limit: 1_000, signal };
      return foldAll(before, await deps.store.read(key, page));
    };
    view = await foldNew(view);
    if (turn % everyTurns === 0) await append(prune(view));
    for (let round = 1; round <= roundsPerTurn; round += 1) {
      await append(roundOf({ turn: id, number: turn, round, asOf: view.head, hashes, reply }));
    }
    await append(answer(id, turn));
    const close: Draft = {
      type: 'turn.close',
      turn: id,
      author: 'system',
      data: { reason: 'completed' },
    };
    await append([close], { asOf: view.head, gate: 0 });
    await deps.store.release(key, { fence: lease.fence, signal });
  }
}

type Opening = { readonly conversation: string; readonly turn: number; readonly id: TurnId };

async function accept({ deps }: Pick<Stage, 'deps'>, { conversation, turn, id }: Opening) {
  const text = `Which records does ledger ${turn} have?`;
  const accepted = await deps.store.accept(
    {
      sender: { ...scope, user: 'dev' },
      conversation,
      newConversation: conversation,
      message: `msg_${turn}`,
      digest: text,
      events: [
        {
          type: 'user.prompt',
          turn: id,
          author: 'user',
          path: paths.prompt(id),
          event: `msg_${turn}`,
          text,
        },
      ],
      reactive: true,
      newTurn: id,
      turnData: { bundle: 'history', agent: 'main' },
    },
    { signal },
  );
  if (accepted.key === undefined) throw new Error(accepted.status);
  return { ...accepted, key: accepted.key };
}

function prune(view: View): readonly Draft[] {
  const settings = { ttlMs: 1, changed: true, recentTurns: 3, intactTurns: 1 };
  return planPrune(view, { now: 0, settings }) ?? [];
}

type RoundFacts = {
  readonly turn: TurnId;
  readonly number: number;
  readonly round: number;
  readonly asOf: number;
  readonly hashes: { readonly system: string; readonly announce: string; readonly policy: string };
  readonly reply: NonNullable<Block['blob']>;
};

function roundOf({ turn, number, round, asOf, hashes, reply }: RoundFacts): readonly Draft[] {
  const call = toCallId(`tc_${number}_${round}`);
  const usage = { input_tokens: 400, output_tokens: 60, cache_read_tokens: 9_000, cost_usd: 0.002 };
  const opened = {
    round,
    as_of: asOf,
    renderer: 'timeloom-render-8',
    hashes,
    tokens: { system: 5, announce: 8 },
  };
  const own = { turn, call, author: 'agent' } as const;
  const text = `Record ${number}.${round}: ${'a line of the ledger, '.repeat(12)}sum ${number * 1_000 + round}.`;
  return [
    { type: 'round.open', turn, author: 'system', data: opened },
    { type: 'react.thinking', turn, author: 'agent', text: 'I read the next record.' },
    { ...own, type: 'react.notes', text: `Reading record ${round}` },
    {
      type: 'model.call',
      turn,
      author: 'system',
      blob: reply,
      data: { model: 'm', role: 'decision', usage, cost_usd: 0.002, ms: 900, actions: [] },
    },
    {
      ...own,
      type: 'react.tool.call',
      path: paths.call(turn, call),
      data: { tool: 'ledger.read', input: { record: round } },
    },
    {
      ...own,
      author: 'tool',
      type: 'react.tool.result',
      path: paths.result(turn, call),
      text,
      data: { ok: true },
    },
    {
      type: 'round.close',
      turn,
      author: 'system',
      data: { round, outcome: round === roundsPerTurn ? 'answered' : 'acted' },
    },
  ];
}

function answer(turn: TurnId, number: number): readonly Draft[] {
  const text = `Ledger ${number} has six records. The last sum is ${number * 1_000 + roundsPerTurn}.`;
  return [
    {
      type: 'assistant.completion',
      turn,
      author: 'agent',
      path: paths.completion(turn, 1),
      text,
      data: { n: 1, degraded: false },
    },
  ];
}
