import { expect } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { causeOf } from '../../../../runtime/timeline/cache/explain.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { lastForm } from '../../../../runtime/timeline/render/form.ts';
import { contentOf, roleOf } from '../../../../runtime/timeline/render/parts.ts';
import { type RenderPart, render } from '../../../../runtime/timeline/render/render.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import { seed as first } from '../../../tools/runs.ts';
import { announce, type Story, type StoryPrompt, tellStory } from './stories.ts';

/**
 * Plays stories up to a number of rounds, and holds each to every promise about prompts. Names the seed of one that breaks any, and
 * returns how many rounds were played.
 */
export function holdStories(rounds: number, turnsPerStory = 40): number {
  const seen = { rounds: 0, prunes: 0, compactions: 0, unhides: 0 };
  for (let seed = first; seen.rounds < rounds; seed += 1) {
    const story = tellStory(seed, turnsPerStory);
    const count = (type: string) => story.blocks.filter((block) => block.type === type).length;
    seen.rounds += story.prompts.length;
    seen.prunes += count('view.prune');
    seen.compactions += count('view.compact');
    seen.unhides += count('view.unhide');
    expect({ seed, ...faultsOf(story, seed) }).toEqual({ seed, ...faultless });
  }
  // Chance needs room.
  if (rounds < 1_000) return seen.rounds;
  expect(seen.prunes).toBeGreaterThan(rounds / 50);
  expect(seen.compactions).toBeGreaterThan(rounds / 200);
  expect(seen.unhides).toBeGreaterThan(rounds / 500);
  return seen.rounds;
}

const faultless = { breaks: [], marks: [], problems: [], others: [], grown: [], folds: true };

/** Seqs of prompts, or problems: all of it empty for a story that keeps its promises. */
function faultsOf({ blocks, prompts, form }: Story, seed: number) {
  const declared = blocks.filter(excuses).map(({ seq }) => seq);
  const cut = seed % blocks.length;
  return {
    breaks: prompts
      .filter((next, index) => isBroken(prompts[index - 1], next, declared))
      .map(({ asOf }) => asOf),
    marks: prompts.filter(({ parts }) => !areMarked(parts)).map(({ asOf }) => asOf),
    problems: verify(blocks),
    others: prompts
      .filter((prompt, index) => index % 40 === seed % 40 && !isSameAgain(prompt, { blocks, form }))
      .map(({ asOf }) => asOf),
    grown: blocks.filter((block) => isCompaction(block) && !isSmaller(block, blocks)).map(seqOf),
    folds: isSameFold(blocks, cut),
  };
}

/** Another catalogue changes the system text; what stands below it has no excuse. */
function excuses(block: Block): boolean {
  return block.type === 'cache.break' && causeOf(block) !== 'catalogue';
}

function isCompaction({ type }: Block): boolean {
  return type === 'view.compact';
}

function seqOf({ seq }: Block): number {
  return seq;
}

/** What a model would be sent, counted before and after; what the block says of itself is not asked. */
function isSmaller({ seq }: Block, blocks: readonly Block[]): boolean {
  const before = foldAll(emptyView, blocks.slice(0, seq - 1));
  const after = foldAll(before, blocks.slice(seq - 1, seq));
  return tokensOf(after, seq) < tokensOf(before, seq - 1);
}

function tokensOf(view: View, asOf: number): number {
  return render(view, { asOf: toSeq(asOf), announce, ...lastForm(view) }).tokens;
}

/** I5: what was sent up to the tail mark is sent again, unless a block in between says why not. */
function isBroken(
  before: StoryPrompt | undefined,
  next: StoryPrompt,
  declared: readonly number[],
): boolean {
  if (!before || declared.some((seq) => seq > before.asOf && seq <= next.asOf)) return false;
  const tail = before.parts.findLastIndex(({ checkpoint }) => checkpoint);
  return before.parts.slice(0, tail + 1).some((part, index) => !isSame(part, next.parts[index]));
}

function isSame(a: RenderPart, b: RenderPart | undefined): boolean {
  return b?.kind === a.kind && roleOf(a) === roleOf(b) && contentOf(a) === contentOf(b);
}

/** At most three marks, the last on the last part that a cache keeps; none in SOURCES or ANNOUNCE. */
function areMarked(parts: readonly RenderPart[]): boolean {
  const marks = parts.flatMap(({ checkpoint }, index) => (checkpoint ? [index] : []));
  const tail = parts.findIndex(
    (part) => part.kind === 'text' && /^(SOURCES:|ANNOUNCE -) /.test(part.text),
  );
  return marks.length <= 3 && marks.at(-1) === tail - 1;
}

/** Somebody who knows nothing but the log makes the same bytes. */
function isSameAgain(
  { asOf, parts }: StoryPrompt,
  { blocks, form }: Pick<Story, 'blocks' | 'form'>,
): boolean {
  const view = foldAll(emptyView, structuredClone(blocks.slice(0, asOf)));
  return (
    JSON.stringify(render(view, { asOf: toSeq(asOf), announce, ...form }).parts) ===
    JSON.stringify(parts)
  );
}

function isSameFold(blocks: readonly Block[], cut: number): boolean {
  const whole = foldAll(emptyView, blocks);
  const halves = foldAll(foldAll(emptyView, blocks.slice(0, cut)), blocks.slice(cut));
  expect(halves).toStrictEqual(whole);
  return true;
}
