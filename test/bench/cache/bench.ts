import { cacheLedger } from '../../../runtime/timeline/cache/ledger.ts';
import type { Area } from '../area.ts';
import type { Figure } from '../figure.ts';
import { markedOnce, type Other, plainTranscripts, rolling, unmarked } from './others.ts';
import {
  type Billed,
  costOf,
  createAutomaticCache,
  createMarkedCache,
  lifetimesMs,
  type ProviderCache,
} from './provider.ts';
import { plainSystem, type Recording, type Sent, tell } from './world.ts';

const seed = 7;
/** Calls of a young conversation, whose prompts are too short to be steady. */
const youngCalls = 30;

/**
 * What a conversation of 50 and of 200 turns costs in input tokens, played on the real engine, with a simulated provider:
 * beside the same prompts without marks, with one where we have our last, and with one rolling at the end; and beside a
 * transcript that is sent whole, with one rolling mark and without. Costs are in tokens of plain input.
 */
export const benchCache: Area = async () => {
  return { figures: [...(await cacheFigures(50)), ...(await cacheFigures(200))] };
};

export async function cacheFigures(turns: number): Promise<readonly Figure[]> {
  const recorded = await tell(turns, seed);
  const messages = await tell(turns, seed, { promptForm: 'messages' });
  return [...compare(recorded, turns), ...compareForms(messages, { recorded, turns })];
}

type Beside = { readonly recorded: Recording; readonly turns: number };

/** The same conversation in message form, beside the text form. */
function compareForms(
  { requests: messages }: Recording,
  { recorded: { requests }, turns }: Beside,
): readonly Figure[] {
  const [ours, theirs] = [bill(createMarkedCache, messages), bill(createMarkedCache, requests)];
  const figure = (id: string, sides: { ours: number; theirs: number; unit: string }): Figure => ({
    id: `cache.${id}_${turns}_turns_messages_vs_text`,
    ...sides,
    ratio: sides.ours / sides.theirs,
    n: messages.length,
  });
  const share = [
    missedShare(steady(messages, ours)),
    missedShare(steady(requests, theirs)),
  ] as const;
  return [
    figure('missed_steady', {
      ours: share[0],
      theirs: share[1],
      unit: 'share of input not read',
    }),
    figure('cost', { ours: totalOf(ours), theirs: totalOf(theirs), unit: 'tokens' }),
  ];
}

function compare({ log, requests }: Recording, turns: number): readonly Figure[] {
  const plain = plainTranscripts(log, plainSystem(requests));
  const ours = bill(createMarkedCache, requests);
  const whole = bill(createMarkedCache, rolling(plain));
  const ledger = cacheLedger(log);
  const missed = ledger.reduce((sum, { missedTokens }) => sum + missedTokens, 0);
  const unexplained = ledger
    .flatMap(({ misses }) => misses)
    .filter(({ cause }) => cause === 'provider' || cause === 'undeclared')
    .reduce((sum, { tokens }) => sum + tokens, 0);
  const n = requests.length;
  const figure = (id: string, sides: { ours: number; theirs: number; unit: string }): Figure => ({
    id,
    ...sides,
    ratio: sides.ours / sides.theirs,
    n,
  });
  const cost = (against: string, theirs: number, mine = totalOf(ours)) =>
    figure(`cache.cost_${turns}_turns_vs_${against}`, { ours: mine, theirs, unit: 'tokens' });
  const share = (id: string, [mine, theirs]: readonly [number, number]) =>
    figure(id, { ours: mine, theirs, unit: 'share of input not read' });
  return [
    share(`cache.missed_steady_${turns}_turns_vs_transcript`, [
      missedShare(steady(requests, ours)),
      missedShare(steady(rolling(plain), whole)),
    ]),
    share(`cache.missed_${turns}_turns_vs_transcript`, [missedShare(ours), missedShare(whole)]),
    figure(`cache.explained_${turns}_turns_vs_missed`, {
      ours: missed - unexplained,
      theirs: missed,
      unit: 'tokens',
    }),
    cost('no_marks', totalOf(bill(createMarkedCache, unmarked(requests)))),
    cost('one_mark', totalOf(bill(createMarkedCache, markedOnce(requests)))),
    cost('rolling_mark', totalOf(bill(createMarkedCache, rolling(requests)))),
    cost('rolling_transcript', totalOf(whole)),
    cost('plain_transcript', totalOf(bill(createMarkedCache, plain))),
    cost(
      'plain_transcript_automatic',
      totalOf(bill(createAutomaticCache, plain)),
      totalOf(bill(createAutomaticCache, requests)),
    ),
  ];
}

function bill(create: () => ProviderCache, requests: readonly Other[]): readonly Billed[] {
  const cache = create();
  return requests.map(({ blocks, atMs }) => cache.meter(blocks, atMs));
}

function totalOf(billed: readonly Billed[]): number {
  return billed.reduce((sum, each) => sum + costOf(each), 0);
}

function missedShare(billed: readonly Billed[]): number {
  const read = billed.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
  const missed = billed.reduce((sum, each) => sum + each.inputTokens + each.cacheWriteTokens, 0);
  return missed / (read + missed);
}

/** Calls for which a provider can have anything: the one before was lately, and the conversation is no longer young. */
function steady(requests: readonly (Other | Sent)[], billed: readonly Billed[]): readonly Billed[] {
  return billed.filter((_, index) => {
    const [before, now] = [requests[index - 1], requests[index]];
    const lately = before && now && now.atMs - before.atMs < lifetimesMs.short;
    return index >= youngCalls && lately === true;
  });
}
