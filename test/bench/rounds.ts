import { emptyView, fold, foldAll } from '../../runtime/timeline/fold/fold.ts';
import { announce } from '../../runtime/timeline/render/announce.ts';
import { render } from '../../runtime/timeline/render/render.ts';
import type { View } from '../../runtime/timeline/view.ts';
import { LogWriter } from '../runtime/timeline/logs/log-writer.ts';
import { type Figure, toFigure } from './figure.ts';
import { appendRound, appendTurns, roundsPerTurn } from './timeline/long-log.ts';

const rounds = 48;

/**
 * What one more round costs: its blocks folded, ANNOUNCE and the prompt made, tokens counted. In a conversation of
 * 10,000 blocks beside one of 100; and beside folding and rendering the whole log again, as is done without a view.
 */
export function benchRounds(): Figure[] {
  const young = new Conversation(100);
  const old = new Conversation(10_000);
  const times = { young: [] as number[], old: [] as number[], again: [] as number[] };
  for (let round = -roundsPerTurn; round < rounds; round += 1) {
    const once = {
      young: young.round(),
      old: old.round(),
      again: round % 8 === 0 ? old.again() : undefined,
    };
    // The first rounds warm up the compiler.
    if (round < 0) continue;
    times.young.push(once.young);
    times.old.push(once.old);
    if (once.again !== undefined) times.again.push(once.again);
  }
  const unit = 'ms per round';
  return [
    toFigure('rounds.at_10000_blocks_vs_100', { ours: times.old, theirs: times.young, unit }),
    toFigure('rounds.new_blocks_vs_whole_log', { ours: times.old, theirs: times.again, unit }),
  ];
}

class Conversation {
  readonly #log = new LogWriter('conv_bench');
  #view: View;

  constructor(blocks: number) {
    appendTurns(this.#log, blocks);
    this.#view = foldAll(emptyView, this.#log.blocks);
    prompt(this.#view);
  }

  /** Milliseconds of one round: the blocks come one by one, as they are appended. */
  round(): number {
    const before = this.#log.head;
    appendRound(this.#log);
    const blocks = this.#log.blocks.slice(before);
    return milliseconds(() => {
      for (const block of blocks) this.#view = fold(this.#view, block);
      prompt(this.#view);
    });
  }

  again(): number {
    const blocks = structuredClone(this.#log.blocks);
    return milliseconds(() => prompt(foldAll(emptyView, blocks)));
  }
}

function milliseconds(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function prompt(view: View): void {
  const text = announce(view, {
    now: '2026-01-01T00:00:00.000Z',
    round: 1,
    budget: { used: 0, total: 15, bonus: 0 },
    elapsedMs: 0,
    phase: 'decision',
    caps: {},
    inactiveTools: [],
    workspace: [],
    feedback: [],
    notices: [],
  });
  if (render(view, { asOf: view.head, announce: text }).tokens === 0)
    throw new Error('a prompt has tokens');
}
