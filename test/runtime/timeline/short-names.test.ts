import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../../runtime/timeline/block.ts';
import { isBetween } from '../../../runtime/timeline/fold/between.ts';
import { emptyView, foldAll, foldArchive } from '../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../runtime/timeline/ids.ts';
import { formatPath, parsePath, toBlockPath } from '../../../runtime/timeline/paths.ts';
import { resolve } from '../../../runtime/timeline/resolve/resolve.ts';
import {
  shortNames,
  storedPath,
  toStored,
  usesShortName,
} from '../../../runtime/timeline/short-names.ts';
import type { View } from '../../../runtime/timeline/view.ts';
import { runs } from '../../tools/runs.ts';
import { compacted } from './compact/compacted-logs.ts';
import { LogWriter } from './logs/log-writer.ts';
import { cutLogs, legalLogs } from './logs/logs.ts';
import { taken } from './logs/taken.ts';

function storedPaths(blocks: readonly Block[]): readonly string[] {
  const read = taken(blocks).filter((block) => !isBetween(block));
  return [...new Set(read.flatMap(({ path }) => path ?? []))];
}

// proves: paths.both-spellings
test('the short and the stored spelling of every path lead to the same item', () => {
  fc.assert(
    fc.property(cutLogs, ({ blocks, cut }) => {
      const log = blocks.slice(0, cut);
      const view = foldAll(emptyView, log);
      const { path: shown } = shortNames(view);
      for (const path of storedPaths(log)) {
        const short = shown(path);
        expect(storedPath(view, short)).toBe(path);
        expect(shown(storedPath(view, short) ?? '')).toBe(short);
        expect(resolve(view, short)).toEqual(resolve(view, path));
        expect(resolve(view, `conv:${short}`)).toEqual(resolve(view, path));
      }
    }),
    runs(30),
  );
});

// proves: paths.names-stay
test('the names of turns and calls never change as a conversation grows', () => {
  fc.assert(
    fc.property(cutLogs, ({ blocks, cut }) => {
      const before = shortNames(foldAll(emptyView, blocks.slice(0, cut)));
      const after = shortNames(foldAll(emptyView, blocks));
      for (const path of storedPaths(blocks.slice(0, cut))) {
        expect(after.path(path)).toBe(before.path(path));
      }
    }),
    runs(30),
  );
});

// proves: paths.names-stay
test('a compaction changes no name, for a reader of the whole log or of the window', () => {
  const how = fc.record({
    share: fc.double({ min: 0.2, max: 0.9, noNaN: true }),
    recentTurns: fc.integer({ min: 1, max: 3 }),
    forced: fc.boolean(),
  });
  fc.assert(
    fc.property(legalLogs, how, (log, each) => {
      const { before, blocks } = compacted(log, each);
      const made = blocks.findLast(({ type }) => type === 'view.compact');
      const { window = 1 } = (made?.data ?? {}) as { window?: number };
      const whole = shortNames(foldArchive(emptyView, blocks));
      for (const start of [1, window]) {
        const names = shortNames(foldAll(emptyView, blocks.slice(start - 1)));
        for (const { turn } of before) expect(names.turn(turn)).toBe(whole.turn(turn));
      }
      const view = foldAll(emptyView, blocks);
      for (const { blocks: shown } of view.turns) {
        for (const path of storedPaths(shown)) {
          expect(shortNames(view).path(path)).toBe(whole.path(path));
        }
      }
    }),
    runs(20),
  );
});

function conversation(): View {
  const log = new LogWriter();
  for (const turn of ['turn_a', 'turn_b'].map(toTurnId)) {
    log.append(
      { type: 'turn.open', turn, author: 'system', data: {} },
      {
        type: 'round.open',
        turn,
        author: 'system',
        data: { round: 1, as_of: log.head + 1 },
      },
    );
    for (const call of ['tc_x', 'tc_y'].map(toCallId)) {
      const data = { tool: 'web.search', input: {} };
      log.append(
        { type: 'react.notes', turn, author: 'agent', call, text: 'Looking' },
        {
          type: 'react.code',
          turn,
          author: 'agent',
          call,
          path: toBlockPath(`fi:${turn}.code.${call}`),
        },
        {
          type: 'react.tool.call',
          turn,
          author: 'agent',
          call,
          path: toBlockPath(`tc:${turn}.${call}.call`),
          data,
        },
      );
    }
    log.append({
      type: 'turn.close',
      turn,
      author: 'system',
      data: { reason: 'completed' },
    });
  }
  return foldAll(emptyView, log.blocks);
}

test.each([
  ['tc:turn_b.tc_y.result', 'tc:t2.c2.result'],
  ['fi:turn_a.code.tc_x', 'fi:t1.code.c1'],
  ['ar:turn_b.user.prompt', 'ar:t2.user.prompt'],
  ['fi:turn_a.outputs/turn_b/a.csv', 'fi:t1.outputs/turn_b/a.csv'],
  ['ws:turn_a.conv.working.summary', 'ws:t1.conv.working.summary'],
  ['su:turn_b.conv.range.summary', 'su:t2.conv.range.summary'],
  ['tc:turn_b.tc_unknown.result', 'tc:t2.tc_unknown.result'],
  ['ar:turn_unknown.user.prompt', 'ar:turn_unknown.user.prompt'],
  ['ar:conv_9.turn_a.user.prompt', 'ar:conv_9.turn_a.user.prompt'],
])('%s is shown as %s', (stored, short) => {
  const view = conversation();
  expect(shortNames(view).path(stored)).toBe(short);
  expect(storedPath(view, short)).toBe(stored);
});

test('an unknown turn or call has no stored path', () => {
  const view = conversation();
  for (const path of ['ar:t3.user.prompt', 'tc:t1.c3.result', 'fi:t1.code.c9', 'nonsense']) {
    expect(storedPath(view, path)).toBeUndefined();
    expect(resolve(view, path)).toBeUndefined();
  }
});

test('texts of the runtime use the short form of every path, and do not change otherwise', () => {
  const { inText: within } = shortNames(conversation());
  expect(
    within('See tc:turn_a.tc_y.result, fi:turn_b.outputs/a.csv (turn_a) and so:sources_pool[1].'),
  ).toBe('See tc:t1.c2.result, fi:t2.outputs/a.csv (turn_a) and so:sources_pool[1].');
});

test('short names are distinguished from ids, and belong to one conversation', () => {
  for (const [text, short] of [
    ['ar:t12.user.prompt', true],
    ['tc:turn_a.c3.result', true],
    ['fi:conv_9.t3.outputs/a.csv', true],
    ['tc:turn_a.tc_3.result', false],
    ['so:sources_pool[1]', false],
  ] as const) {
    const path = parsePath(text);
    expect(path && usesShortName(path)).toBe(short);
    expect(path && formatPath(path)).toBe(text);
  }
  expect(parsePath('fi:conv_9.t3.outputs/a.csv')).toMatchObject({
    conversation: 'conv_9',
    turn: 't3',
  });
  expect(parsePath('fi:t1.t3.outputs/a.csv')).toMatchObject({ conversation: 't1', turn: 't3' });
  for (const text of ['ar:t0.user.prompt', 'ar:t.user.prompt', 'ar:t1234567.user.prompt'])
    expect(parsePath(text)).toBeUndefined();
});

test('an older compaction without a list of turns still counts them', () => {
  const log = new LogWriter();
  const turn = toTurnId('turn_c');
  log.append({ type: 'turn.open', turn, author: 'system', data: {} });
  const rows = {
    turns: [],
    events: [],
    notes: [],
    files: [],
    skills: [],
    results: [],
    earlier: [],
  };
  const kept = { summary: '', count: 2, since: '', until: '', ...rows };
  const state = {
    memory: { text: 'before', kept },
    covered: [],
    plans: [],
    sources: [],
    hidden: [],
    pruned: [],
    pulled: [],
    standing: [],
  };
  log.append({
    type: 'view.compact',
    turn,
    author: 'system',
    path: toBlockPath(`su:${turn}.conv.range.summary`),
    data: {
      cause: 'limit',
      window: 1,
      covers: { turns: 2, rounds: 0 },
      state,
      tokens_before: 2,
      tokens_after: 1,
    },
  });
  const view = foldAll(emptyView, log.blocks);
  expect(shortNames(view).turn(turn)).toBe('t3');
  const path = parsePath('ar:t1.user.prompt');
  expect(path && toStored(view, path)).toBeUndefined();
});
