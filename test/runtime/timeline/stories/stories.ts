import fc from 'fast-check';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { compact } from '../../../../runtime/timeline/compact/compact.ts';
import { chooseCut } from '../../../../runtime/timeline/compact/cut.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import type { TurnId } from '../../../../runtime/timeline/ids.ts';
import { type PruneSettings, planPrune } from '../../../../runtime/timeline/prune/prune.ts';
import { cacheBreak } from '../../../../runtime/timeline/render/cache-break.ts';
import { formOfRound, type PromptForm } from '../../../../runtime/timeline/render/form.ts';
import { render, timelineSegments } from '../../../../runtime/timeline/render/render.ts';
import { replyForms } from '../../../../runtime/timeline/render/replies/write-reply.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import { turnScript } from '../logs/log-scripts.ts';
import type { LogWriter } from '../logs/log-writer.ts';
import { type BeforeRound, writeLog } from '../logs/write-log.ts';

export const announce = 'ANNOUNCE - Round 1/15';
const settings: PruneSettings = { ttlMs: 300_000, recentTurns: 4, intactTurns: 1, changed: false };

/** One prompt of a story: what a model would have been sent. */
export type StoryPrompt = {
  readonly asOf: number;
  readonly parts: ReturnType<typeof render>['parts'];
};
export type Story = {
  readonly blocks: readonly Block[];
  readonly prompts: readonly StoryPrompt[];
  readonly form: PromptForm;
};

/** What an engine may write before a round. A new kind of block that changes the view is one more entry. */
type Change = {
  readonly oneIn: number;
  readonly drafts: (view: View, turn: TurnId) => readonly Draft[];
};
const changes: readonly Change[] = [
  { oneIn: 5, drafts: pruned },
  { oneIn: 25, drafts: compacted },
  { oneIn: 40, drafts: (_, turn) => [cacheBreak({ turn, cause: 'catalogue' })] },
];

/** What the rounds of a story record: each form of a prompt in its turn. */
const recorded: readonly JsonObject[] = [
  {},
  ...replyForms.map((protocol) => ({ form: 'messages', protocol, model: 'scripted:test' })),
];

/** A whole conversation of the given number of turns, with all that may happen to its view. The same seed tells the same story. */
export function tellStory(seed: number, turns: number): Story {
  const chance = dice(seed);
  const opened = recorded[seed % recorded.length] ?? {};
  const form = formOfRound(opened);
  const prompts: StoryPrompt[] = [];
  let view = emptyView;
  const catchUp = (log: LogWriter) => {
    view = foldAll(view, log.blocks.slice(view.head));
  };
  const scripts = fc.sample(turnScript, { seed, numRuns: turns });
  const before: BeforeRound = (log, turn) => {
    catchUp(log);
    for (const { oneIn, drafts } of changes) {
      if (chance(oneIn) !== 0) continue;
      log.append(...drafts(view, turn));
      catchUp(log);
    }
    const { parts } = render(view, { asOf: view.head, announce, ...form });
    prompts.push({ asOf: view.head, parts });
  };
  return { blocks: writeLog(scripts, before, opened), prompts, form };
}

/** Nobody has asked for a while. */
function pruned(view: View): readonly Draft[] {
  const now = Date.parse(view.openTurn?.blocks.at(-1)?.at ?? '') + settings.ttlMs;
  return planPrune(view, { now, settings }) ?? [];
}

/** The prompt has outgrown its room. */
function compacted(view: View, turn: TurnId): readonly Draft[] {
  const tokens = timelineSegments(view, view.head).reduce((sum, each) => sum + each.tokens, 0);
  const room = Math.max(1, Math.floor(tokens * 0.6));
  const cut = chooseCut(view, { room, recentTurns: 3, forced: false });
  if (!cut || !view.openTurn) return [];
  const made = compact(view, view.openTurn, {
    cut,
    cause: 'limit',
    summary: 'They went through it all, and it was good.',
    progress: 'Half of it is done.',
    room,
    now: '2026-01-02T00:00:00.000Z',
  });
  if (made.after >= made.before) return [];
  return [made.draft, cacheBreak({ turn, cause: 'compact' })];
}

/** Mulberry32: whole numbers from 0 up to what is asked for. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}
