import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/base/json.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { compact } from '../../../../runtime/timeline/compact/compact.ts';
import { chooseCut } from '../../../../runtime/timeline/compact/cut.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { absentBlocks } from '../../../../runtime/timeline/origins/absent.ts';
import {
  type Origin,
  originsOf,
  readableText,
} from '../../../../runtime/timeline/origins/origins.ts';
import { viewChanges } from '../../../../runtime/timeline/origins/view-changes.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { planPrune } from '../../../../runtime/timeline/prune/prune.ts';
import { cacheBreak } from '../../../../runtime/timeline/render/cache-break.ts';
import { toItem } from '../../../../runtime/timeline/render/items.ts';
import type { RenderPart } from '../../../../runtime/timeline/render/parts.ts';
import {
  type PastRound,
  pastRounds,
  renderPastRound,
} from '../../../../runtime/timeline/render/past-rounds.ts';
import { runs } from '../../../tools/runs.ts';
import { type TurnScript, turnScript } from '../logs/log-scripts.ts';
import type { LogWriter } from '../logs/log-writer.ts';
import { taken } from '../logs/taken.ts';
import { type BeforeRound, writeLog } from '../logs/write-log.ts';
import { forms } from '../render/forms.ts';

// proves: workbench.origins

const announce = 'ANNOUNCE - Round 1/15';

/** Prunes at every third round, and compacts at every fifth: what a long conversation goes through. */
const shrinking: () => BeforeRound = () => {
  let rounds = 0;
  return (log) => {
    rounds += 1;
    if (rounds % 3 === 0) prune(log);
    if (rounds % 5 === 0) shorten(log);
  };
};

function prune(log: LogWriter): void {
  const settings = { ttlMs: 1, changed: true, recentTurns: 2, intactTurns: 1 };
  log.append(...(planPrune(foldAll(emptyView, log.blocks), { now: 0, settings }) ?? []));
}

function shorten(log: LogWriter): void {
  const view = foldAll(emptyView, log.blocks);
  const turn = view.openTurn;
  const room = 20_000;
  const cut = turn && chooseCut(view, { room, recentTurns: 1, forced: true });
  if (!turn || !cut) return;
  const texts = { summary: 'What happened.', progress: 'What was done.', now: turn.openedAt };
  const { draft } = compact(view, turn, { cut, cause: 'limit', room, ...texts });
  log.append(draft, cacheBreak({ turn: turn.id, cause: 'compact', tokens: 0 }));
}

const stories: fc.Arbitrary<readonly TurnScript[]> = fc.array(turnScript, {
  minLength: 2,
  maxLength: 5,
});

function explained(blocks: readonly Block[]) {
  return [...pastRounds(blocks)].map((past) => {
    const seen = blocks.filter(({ seq }) => seq <= past.opened.as_of);
    const changes = viewChanges(seen);
    const { parts } = renderPastRound(past, announce);
    const origins = originsOf(past, { parts, blocks: seen, changes });
    const absent = absentBlocks(past, { origins, blocks: seen, changes });
    return { past, parts, origins, absent, seen };
  });
}

function recorded(form: (typeof forms)[number][1]): JsonObject {
  const hashes = { system: 's', announce: 'a', policy: 'p' };
  const { as, ...rest } = form;
  const shape = as === 'messages' ? { form: as, ...rest, model: 'scripted:test' } : {};
  return { renderer: 'r', hashes, ...JSON.parse(JSON.stringify(shape)) };
}

test.each(forms)(
  '%s: every passage of a prompt names the block that it comes from, and every other block why it is not there',
  (_, form) => {
    fc.assert(
      fc.property(stories, (turns) => {
        const blocks = writeLog(turns, shrinking(), recorded(form));
        const read = taken(blocks);
        for (const found of explained(blocks)) {
          found.parts.forEach((part, index) => {
            checkRanges(readableText(part), found.origins[index] ?? []);
            checkSources(read, { ...found, part, origins: found.origins[index] ?? [] });
          });
          checkAbsent(blocks, found);
        }
      }),
      runs(4),
    );
  },
);

test('the record of a written answer names its blocks, and so does a log that an engine wrote', () => {
  const path = new URL('../../../golden/timelines/a-written-answer.json', import.meta.url);
  const { blocks } = JSON.parse(readFileSync(path, 'utf8')) as { blocks: readonly Block[] };
  const phases = explained(blocks).map((found) => {
    found.parts.forEach((part, index) => {
      checkRanges(readableText(part), found.origins[index] ?? []);
    });
    const shown = found.origins.flat().filter(({ as }) => as === 'whole');
    const first = shown.find(({ block }) => blocks[block - 1]?.type === 'user.prompt');
    return [found.past.opened.phase, first !== undefined];
  });
  expect(phases.at(-1)).toEqual(['answer', true]);
  expect(phases.every(([, named]) => named)).toBe(true);
});

/** They cover the text without a gap. */
function checkRanges(text: string, ranges: readonly Origin[]): void {
  expect(ranges.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text);
  const ends = [0, ...ranges.map(({ to }) => to)];
  expect(ranges.map(({ from }) => from)).toEqual(ends.slice(0, ranges.length));
}

type PartOrigins = {
  readonly past: PastRound;
  readonly part: RenderPart;
  readonly origins: readonly Origin[];
};

function checkSources(blocks: readonly Block[], { past, part, origins }: PartOrigins): void {
  const text = readableText(part);
  for (const origin of origins) {
    const shown = text.slice(origin.from, origin.to);
    const found = isFrom(blocks, { past, part, origin, shown });
    expect([origin, shown, found]).toEqual([origin, shown, true]);
  }
}

type Explained = ReturnType<typeof explained>[number];

/** Each block is shown in full, or listed with a cause that exists. */
function checkAbsent(blocks: readonly Block[], { past, origins, absent, seen }: Explained): void {
  const whole = origins.flat().flatMap(({ as, block }) => (as === 'whole' ? block : []));
  const known = new Set([...whole, ...absent.map(({ block }) => block)]);
  const upTo = [...known].filter((seq) => seq <= past.opened.as_of);
  expect(upTo.toSorted((a, b) => a - b)).toEqual(seen.map(({ seq }) => Number(seq)));
  for (const { because, by } of absent) {
    if (!['hidden', 'pruned', 'compacted'].includes(because)) continue;
    const cause = blocks[(by ?? 0) - 1]?.type;
    expect(['view.hide', 'view.prune', 'view.compact']).toContain(cause);
  }
}

type Claim = {
  readonly past: PastRound;
  readonly part: RenderPart;
  readonly origin: Origin;
  readonly shown: string;
};

/** Whether a block wrote this text: as its item, as a quotation of its fields, or in the field that replaces others. */
function isFrom(blocks: readonly Block[], { past, part, origin, shown }: Claim): boolean {
  const block = blocks[origin.block - 1];
  if (!block) return false;
  if (part.kind === 'call')
    return block.call === part.call && (block.type === 'react.tool.call' || quotes(block, shown));
  if (part.kind === 'text' || part.kind === 'result') {
    return oracles[origin.as](block, { shown, past, by: blocks[(origin.by ?? 0) - 1] });
  }
  return JSON.stringify(block).includes(part.blob.hash);
}

type Seen = { readonly shown: string; readonly past: PastRound; readonly by: Block | undefined };

const oracles: Record<Origin['as'], (block: Block, seen: Seen) => boolean> = {
  runtime: (block, { past }) => block === past.open,
  heading: ({ type }, { shown }) =>
    /^(turn.open|round.open|round.close)$/.test(type) || /^Attached: /.test(shown),
  whole: (block, { shown, past }) =>
    drawn(block, past).includes(shown) || quotes(block, shown) || wraps(block, shown),
  hidden: ({ path = toBlockPath('') }, { past, by }) =>
    by !== undefined && quotes(by, past.view.hidden.get(path) ?? ''),
  pruned: (block, { shown }) =>
    block.type === 'view.prune' ? quotes(block, shown) : shown.includes('path='),
  summary: (block, { shown }) => block.type === 'view.compact' && quotes(block, shown),
};

/** An answer in the form of a reply, and a row of SOURCES. */
function wraps({ type, text = '', data }: Block, shown: string): boolean {
  const source = type === 'source.row' && isJsonObject(data) ? data : undefined;
  if (source) return shown.includes(`${source['title']} | ${source['url']}`);
  return /completion|summary/.test(type) && shown.includes(JSON.stringify(text).slice(1, -1));
}

/** The item of a block, also if it arrived during a round. */
function drawn(block: Block, { view }: PastRound): readonly string[] {
  const rounds = view.turns.flatMap((turn) => turn.rounds.map(({ number }) => number));
  return [undefined, ...rounds].flatMap((during) => {
    const item = toItem(block, { ...view, ...(during === undefined ? {} : { during }) });
    return item ? [item.text] : [];
  });
}

/** In message form: the text, or a JSON string of it, or JSON of a part of the data. */
function quotes(block: Block, shown: string): boolean {
  const fields = [block.text ?? '', ...strings(block.data ?? null), JSON.stringify(block.data)];
  const forms = fields.flatMap((field) => [field, JSON.stringify(field).slice(1, -1)]);
  const pieces = shown.split(notes).map((piece) => piece.replace(/(\\n)+$/, '').trim());
  return forms.some((form) => pieces.every((piece) => form.includes(piece)));
}

/** What stands for a text that is cut, or for encoded bytes. */
const notes = /… \(only the beginning, .*?\)|\(\d+ characters of encoded data\)/;

function strings(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}
