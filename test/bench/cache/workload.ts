import type { Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import { type Chance, createChance } from '../../runtime/engine/simulation/chance.ts';

/** One turn of a conversation with an analyst's agent: what people do, what the model says, how long all of it takes. */
export type TurnStory = {
  /** Since the turn before closed. */
  readonly pauseMs: number;
  readonly prompt: string;
  readonly images: number;
  /** Said while the turn runs, at the call of this number. */
  readonly followup?: { readonly atRound: number; readonly text: string };
  readonly replies: readonly Reply[];
};

const words =
  'the of and to in station rainfall mean daily highs above normal every month but January column value row series we should compare with last year report chart median deviation gauge sensor north valley before after week missing filled interpolated source table page says figure shows trend decline growth percent total sum average index file path result'.split(
    ' ',
  );

export function prose(chance: Chance, count: number): string {
  const said = Array.from({ length: count }, () => words[chance.below(words.length)] ?? '');
  return said.map((word, index) => (index % 14 === 13 ? `${word}.` : word)).join(' ');
}

/** Most answers are read and replied to within minutes; some people come back after lunch, or tomorrow. */
function pauseMs(chance: Chance): number {
  const dice = chance.below(100);
  if (dice < 65) return 15_000 + chance.below(225_000);
  if (dice < 88) return 300_000 + chance.below(1_500_000);
  return 3_600_000 + chance.below(12 * 3_600_000);
}

export function writeStory(turns: number, seed: number): readonly TurnStory[] {
  const chance = createChance(seed);
  return Array.from({ length: turns }, (_, index) => turnStory(chance, index));
}

function turnStory(chance: Chance, index: number): TurnStory {
  const rounds = 4 + chance.below(6);
  const calls = Array.from({ length: rounds }, (_, round) => callReply(chance, { index, round }));
  const followup = chance.happens(0.15)
    ? { followup: { atRound: 1 + chance.below(rounds - 1), text: prose(chance, 18) } }
    : {};
  return {
    pauseMs: index === 0 ? 0 : pauseMs(chance),
    prompt: prose(chance, 12 + chance.below(60)),
    images: imagesOf(chance),
    ...followup,
    replies: [...calls, answerReply(chance)],
  };
}

/** Now and then a screenshot or two; rarely a whole album, more than a provider looks back over. */
function imagesOf(chance: Chance): number {
  const dice = chance.below(100);
  return dice < 90 ? 0 : dice < 98 ? 1 + chance.below(3) : 14;
}

function answerReply(chance: Chance): Reply {
  return {
    thinking: prose(chance, 25),
    answer: prose(chance, 90 + chance.below(160)),
    summary: prose(chance, 60),
  };
}

function callReply(chance: Chance, { index, round }: { index: number; round: number }): Reply {
  const thinking = prose(chance, 20 + chance.below(40));
  const notes = `${progress(round)}${prose(chance, 10)}`;
  const id = `${index}_${round}`;
  const dice = chance.below(100);
  const call =
    round === 0 && dice < 50
      ? { tool: 'react.plan', input: { mode: 'new', steps: steps(chance) } }
      : dice < 35
        ? { tool: 'web.search', input: { query: `${prose(chance, 6)} ${id}` } }
        : dice < 75
          ? { tool: 'data.read', input: { table: `table_${id}`, rows: 5 + chance.below(40) } }
          : { tool: 'data.compute', input: { program: prose(chance, 60), id } };
  return { thinking, notes, call };
}

/** The agent keeps to its plan of four steps: one is done with each round. */
function progress(round: number): string {
  return round >= 1 && round <= 4 ? `✓ [${round}] ` : '';
}

function steps(chance: Chance): string[] {
  return Array.from({ length: 4 }, () => prose(chance, 6));
}
