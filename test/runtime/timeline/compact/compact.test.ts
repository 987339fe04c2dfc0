import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { rememberedDecision } from '../../../../runtime/timeline/close/waits.ts';
import { compact, tokensOf } from '../../../../runtime/timeline/compact/compact.ts';
import { chooseCut, summaryAllowance } from '../../../../runtime/timeline/compact/cut.ts';
import { upcomingNotes } from '../../../../runtime/timeline/compact/memory.ts';
import { refsIn } from '../../../../runtime/timeline/compact/refs.ts';
import { emptyView, foldAll, foldArchive } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { contentOf } from '../../../../runtime/timeline/render/parts.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import { resolve } from '../../../../runtime/timeline/resolve/resolve.ts';
import { shortNames } from '../../../../runtime/timeline/short-names.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { runs, share } from '../../../tools/runs.ts';
import { turnScript } from '../logs/log-scripts.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { cutLogs, legalLogs } from '../logs/logs.ts';
import { writeLog } from '../logs/write-log.ts';
import {
  type Compacted,
  compacted,
  type How,
  note,
  readAll,
  withOpenTurn,
} from './compacted-logs.ts';

const how: fc.Arbitrary<How> = fc.record({
  share: fc.double({ min: 0.2, max: 0.95, noNaN: true }),
  recentTurns: fc.integer({ min: 1, max: 3 }),
  forced: fc.boolean(),
});

/** A whole log, or one that ends between two rounds of its last turn. */
const logs = fc.oneof(
  legalLogs,
  cutLogs.map(({ blocks, cut }) => upToRound(blocks, cut)),
);

function upToRound(blocks: readonly Block[], cut: number): readonly Block[] {
  const end = blocks.findLastIndex(({ type, seq }) => type === 'round.close' && seq <= cut);
  return blocks.slice(0, end + 1);
}

function sample(usual: number, check: (made: Compacted) => void): number {
  let written = 0;
  fc.assert(
    fc.property(logs, how, (blocks, each) => {
      const made = compacted(blocks, each);
      if (made.blocks !== made.before) written += 1;
      check(made);
    }),
    runs(usual, 10),
  );
  return written;
}

// proves: compact.lowers
test('a compaction makes the prompt strictly smaller, by as much as it says, or it is not written', () => {
  const written = sample(20, ({ before, blocks, made }) => {
    if (blocks === before || !made) return;
    const [was, is] = [before, blocks].map((log) => tokensOf(foldAll(emptyView, log)));
    expect([was, is]).toEqual([made.before, made.after]);
    expect(made.after).toBeLessThan(made.before);
  });
  expect(written).toBeGreaterThan(share(5));
});

// proves: compact.window
test('a reader that starts at the window has the same view as a reader of the whole log', () => {
  const more = fc.array(turnScript, { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(logs, how, more, (log, each, scripts) => {
      const first = compacted(log, each);
      const closed = closing(first.blocks);
      const blocks = new LogWriter('conv_test', closed);
      for (const draft of writeLog(scripts)) blocks.append(renamed(draft, closed.length));
      const all = compacted(blocks.blocks, each).blocks;
      const { window = 1 } = (all.findLast(({ type }) => type === 'view.compact')?.data ?? {}) as {
        window?: number;
      };
      expect(foldAll(emptyView, all.slice(window - 1))).toStrictEqual(foldAll(emptyView, all));
    }),
    runs(15),
  );
});

// proves: compact.pairs
test('compactions remove whole turns and rounds: every call in the prompt still has its result', () => {
  sample(12, ({ before, blocks }) => {
    const view = foldAll(emptyView, blocks);
    const text = textOf(blocks);
    const kept = foldAll(emptyView, before).turns.slice(-view.turns.length);
    expect(view.turns.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    const names = shortNames(view);
    for (const turn of view.turns) {
      const covered = view.covered.get(turn.id)?.rounds ?? 0;
      expect(turn.rounds.slice(0, covered).every(({ closed }) => closed)).toBe(true);
      for (const { call } of turn.rounds.slice(covered).flatMap(({ calls }) => calls)) {
        const [, own = ''] = text.split(`TURN ${names.turn(turn.id)}\n`);
        expect(own).toContain(`[TOOL CALL ${names.call(turn.id, call)}]`);
        expect(own).toContain(names.path(paths.result(turn.id, call)));
      }
    }
  });
});

// proves: compact.refs
test('every path in a memory resolves', () => {
  sample(12, ({ blocks }) => {
    const archive = foldArchive(emptyView, blocks);
    const made = blocks.findLast(({ type }) => type === 'view.compact');
    const inLog = refsIn(made?.text ?? '').filter((path) => !path.startsWith('sk:'));
    const lost = inLog.filter((path) => resolve(archive, path) === undefined);
    expect(lost.filter((path) => !isQuoted(path, blocks))).toEqual([]);
    expect(verify(blocks)).toEqual([]);
  });
});

// proves: compact.events
test('no event is lost: each event of a removed turn is in the memory, as text or by its path', () => {
  const written = sample(12, ({ blocks, cut }) => {
    const memory = blocks.findLast(({ type }) => type === 'view.compact')?.text;
    const gone = memory === undefined ? [] : (cut?.turns ?? []);
    const names = shortNames(foldAll(emptyView, blocks));
    for (const turn of gone) expect(memory).toContain(`- ${names.turn(turn.id)} `);
    const sent = gone.flatMap(({ events }) => events).filter(({ type }) => type !== 'user.prompt');
    for (const { path = '' } of sent) expect(memory).toContain(names.path(path));
    const open = foldAll(emptyView, blocks).openTurn;
    for (const { path = '' } of open?.events ?? [])
      expect(textOf(blocks)).toContain(names.path(path));
  });
  expect(written).toBeGreaterThan(share(3));
});

// proves: compact.notes
test('the notes named in the summary prompt are in the memory, for a summary of any length', () => {
  const log = new LogWriter();
  const pins = Array.from(
    { length: 60 },
    (_, n) => `[P] "Rule ${n}: ${'light the lamps '.repeat(5)}"`,
  );
  for (const [n, text] of pins.entries()) note(log, toTurnId(`turn_${n + 1}`), text);
  const blocks = withOpenTurn(log.blocks);
  const view = foldAll(emptyView, blocks);
  const { openTurn } = view;
  fc.assert(
    fc.property(fc.integer({ min: 6_000, max: 60_000 }), fc.nat(2), (room, words) => {
      const cut = openTurn && chooseCut(view, { room, recentTurns: 1, forced: true });
      if (!cut) throw new Error('nothing to cut');
      const notes = upcomingNotes(view, openTurn, { cut, room });
      const summary = 'lamp '.repeat(words * (summaryAllowance(room) - 1)).trim();
      const inputs = { cut, room, summary, cause: 'limit' as const, progress: '', now: '' };
      const { draft } = compact(view, openTurn, inputs);
      const state = draft.data as { state: { memory: { text: string } } };
      for (const note of notes) expect(state.state.memory.text).toContain(`\n- ${note}\n`);
      expect(notes.length).toBeGreaterThan(0);
      expect(notes.length).toBeLessThanOrEqual(32);
    }),
    {
      ...runs(10),
      examples: [
        [15_035, 1],
        [16_005, 1],
      ],
    },
  );
});

// proves: compact.more
test('rows that do not fit into a memory are counted, in the next memory too', () => {
  const log = new LogWriter();
  for (let n = 1; n <= 40; n += 1)
    note(log, toTurnId(`turn_${n}`), `Note ${n} ${'lamps '.repeat(40)}`);
  const first = compacted(log.blocks, { share: 0.3, recentTurns: 1, forced: true });
  const moreOf = (blocks: readonly Block[]) =>
    foldAll(emptyView, blocks).memory?.kept.more?.['notes'] ?? 0;
  const shown = foldAll(emptyView, first.blocks).memory?.kept.notes.length ?? 0;
  expect(moreOf(first.blocks)).toBe((first.cut?.turns.length ?? 0) - shown);
  expect(moreOf(first.blocks)).toBeGreaterThan(0);
  expect(textOf(first.blocks)).toContain(
    `NOTES TO SELF: none shown here, ${moreOf(first.blocks)} in su:`,
  );
  const again = new LogWriter('conv_test', closing(first.blocks));
  for (let n = 41; n <= 60; n += 1)
    note(again, toTurnId(`turn_${n}`), `Note ${n} ${'lamps '.repeat(40)}`);
  const second = compacted(again.blocks, { share: 0.4, recentTurns: 1, forced: true });
  expect(second.blocks).not.toBe(second.before);
  expect(moreOf(second.blocks)).toBeGreaterThan(moreOf(first.blocks));
  const whole = second.blocks.findLast(({ type }) => type === 'view.compact')?.text;
  expect(whole).toContain(`- … ${moreOf(first.blocks)} more in the memories before it\n`);
});

// proves: compact.same-bytes
test('the same log gives the same memory and the same prompt', () => {
  fc.assert(
    fc.property(logs, how, (blocks, each) => {
      const [one, two] = [compacted(blocks, each), compacted(structuredClone(blocks), each)];
      expect(one.blocks).toStrictEqual(two.blocks);
      expect(textOf(one.blocks)).toBe(textOf(two.blocks));
    }),
    runs(6),
  );
});

test('an older memory without a list of skills can be read and compacted again', () => {
  const log = writeLog(fc.sample(turnScript, { numRuns: 4, seed: 7 }));
  const { blocks } = compacted(log, { share: 0.4, recentTurns: 1, forced: true });
  const old = blocks.map((block) =>
    block.type === 'view.compact'
      ? (JSON.parse(JSON.stringify(block).replace(/,"skills":(\[[^\]]*\]|\d+)/g, '')) as Block)
      : block,
  );
  expect(JSON.stringify(old)).not.toContain('"skills"');
  const view = foldAll(emptyView, old);
  expect(view.memory?.kept.skills).toEqual([]);
  expect(textOf(old)).toBe(textOf(blocks));
  const { memory } = foldAll(
    emptyView,
    compacted(closing(old), { share: 0.3, recentTurns: 1, forced: true }).blocks,
  );
  expect(memory?.kept.count).toBeGreaterThan(view.memory?.kept.count ?? 0);
});

// proves: compact.state
test('approvals for the conversation, pulls and hides survive; data of removed turns does not', () => {
  const log = new LogWriter('conv_test', writeLog(fc.sample(turnScript, { numRuns: 3, seed: 5 })));
  const turn = toTurnId('turn_3');
  const said = { request: 'tc_1', tool: 'mail.send', outcome: 'allowed', remember: 'conversation' };
  const acts: readonly Draft[] = [
    {
      type: 'approval.close',
      turn,
      author: 'system',
      call: toCallId('tc_1'),
      path: toBlockPath(`ar:${turn}.approval.close.tc_1`),
      data: said,
    },
    { type: 'workspace.pull', turn, author: 'tool', data: { paths: ['fi:turn_1.outputs/a.csv'] } },
    {
      type: 'view.hide',
      turn,
      author: 'agent',
      data: { path: 'so:sources_pool[1]', replacement: 'no' },
    },
    {
      type: 'view.hide',
      turn,
      author: 'agent',
      data: { path: 'ar:turn_1.user.prompt', replacement: 'no' },
    },
  ];
  const blocks = log.blocks.flatMap((block) =>
    block.type === 'turn.close' && block.turn === turn ? [...acts, block] : [block],
  );
  const again = new LogWriter();
  again.append(...blocks);
  const made = compacted(again.blocks, { share: 0.2, recentTurns: 1, forced: true });
  const view = foldAll(emptyView, made.blocks);
  expect(view.turns).toHaveLength(1);
  expect([...view.toolDecisions]).toEqual([['mail.send', true]]);
  expect([...view.pulled]).toEqual(['fi:turn_1.outputs/a.csv']);
  expect([...view.hidden]).toEqual([['so:sources_pool[1]', 'no']]);
  const { openTurn } = view;
  expect(rememberedDecision(view, { tool: 'mail.send', turn: toTurnId(openTurn?.id ?? '') })).toBe(
    true,
  );
});

function textOf(blocks: readonly Block[]): string {
  const view = foldAll(emptyView, blocks);
  return render(view, { asOf: view.head, announce: '' })
    .parts.map((part) => ('path' in part ? part.path : contentOf(part)))
    .join('');
}

function closing(blocks: readonly Block[]): readonly Block[] {
  const open = foldAll(emptyView, blocks).openTurn;
  if (!open) return blocks;
  const log = new LogWriter('conv_test', blocks);
  readAll(log, open.id);
  log.append({ type: 'turn.close', turn: open.id, author: 'system', data: { reason: 'failed' } });
  return log.blocks;
}

/** The turns of a second log under names of their own. */
function renamed(draft: Block, by: number): Block {
  return JSON.parse(JSON.stringify(draft).replaceAll('turn_', `turn_${by}_`)) as Block;
}

/** Words of a user may look like a path. */
function isQuoted(path: string, blocks: readonly Block[]): boolean {
  return blocks.some(({ type, text = '' }) => type !== 'view.compact' && text.includes(path));
}
