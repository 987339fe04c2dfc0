import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { emptyView, fold, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { type TurnId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { runs } from '../../../tools/runs.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { cutLogs, legalLogs } from '../logs/logs.ts';

// proves: i1.view-is-a-fold, timeline.total-fold

test('folding a prefix and then the rest equals folding everything', () => {
  fc.assert(
    fc.property(cutLogs, ({ blocks, cut }) => {
      const whole = foldAll(emptyView, blocks);
      const inTwo = foldAll(foldAll(emptyView, blocks.slice(0, cut)), blocks.slice(cut));
      expect(inTwo).toStrictEqual(whole);
      expect(blocks.reduce(fold, emptyView)).toStrictEqual(whole);
    }),
    runs(20),
  );
});

test('an older view does not change', () => {
  fc.assert(
    fc.property(cutLogs, ({ blocks, cut }) => {
      const before = foldAll(emptyView, blocks.slice(0, cut));
      const copy = structuredClone(before);
      foldAll(before, blocks.slice(cut));
      expect(before).toStrictEqual(copy);
    }),
    runs(20),
  );
});

test('every block applies to every view, whatever its content', () => {
  const types = fc.constantFrom(
    'turn.open',
    'turn.close',
    'round.open',
    'round.close',
    'react.tool.call',
    'react.tool.result',
    'react.plan',
    'source.row',
    'view.hide',
    'view.unhide',
    'workspace.pull',
    'tools.visibility',
    'view.prune',
    'user.prompt',
    'external.form',
    'assistant.completion',
    'unheard.of',
  );
  const wild = fc.record(
    {
      type: types,
      turn: fc.constantFrom('turn_1', 'turn_2', 'none'),
      author: fc.constantFrom('user', 'agent', 'tool', 'system', 'world'),
      call: fc.constantFrom('tc_1', 'tc_2'),
      path: fc.constantFrom('ar:turn_1.user.prompt', 'tc:turn_1.tc_1.result', 'nonsense'),
      data: fc.jsonValue(),
    },
    { requiredKeys: ['type', 'turn', 'author'] },
  );
  fc.assert(
    fc.property(fc.array(wild, { maxLength: 30 }), (drafts) => {
      const log = new LogWriter();
      log.append(...(drafts as unknown as Block[]));
      expect(foldAll(emptyView, log.blocks).head).toBe(log.head);
    }),
  );
});

test('a closed round is the same object in every later view, so that it is rendered once', () => {
  fc.assert(
    fc.property(legalLogs, (blocks) => {
      const seen = new Map<string, unknown>();
      let view = emptyView;
      for (const block of blocks) {
        view = fold(view, block);
        for (const turn of view.turns) {
          for (const round of turn.rounds.filter(({ closed }) => closed)) {
            const key = `${turn.id} ${round.number}`;
            expect(seen.get(key) ?? round).toBe(round);
            seen.set(key, round);
          }
        }
      }
    }),
    runs(10),
  );
});

test('a block that requires a newer program is kept and has no effect', () => {
  const log = new LogWriter();
  log.append({ type: 'turn.open', turn: toTurnId('turn_1'), author: 'system', data: {} });
  log.append({
    type: 'turn.close',
    turn: toTurnId('turn_1'),
    author: 'system',
    data: { reason: 'completed' },
    meta: { needs: 99 },
  });
  const view = foldAll(emptyView, log.blocks);
  expect(view.openTurn?.id).toBe('turn_1');
  expect(view.openTurn?.blocks).toHaveLength(2);
});

test('a turn that a compaction removed does not exist for later blocks, in one fold or in two', () => {
  const log = new LogWriter();
  const prompt = (turn: TurnId) => {
    log.append({ type: 'turn.open', turn, author: 'system', data: {} });
    log.append({
      type: 'user.prompt',
      turn,
      author: 'user',
      path: toBlockPath(`ar:${turn}.user.prompt`),
      text: 'Hello',
      data: {},
    });
  };
  prompt(toTurnId('turn_1'));
  const closing = { type: 'turn.close', turn: toTurnId('turn_1'), author: 'system' } as const;
  log.append({ ...closing, data: { reason: 'completed' } });
  prompt(toTurnId('turn_2'));
  const lists = { covered: [], plans: [], sources: [], hidden: [], pruned: [], feedback: [] };
  const state = { ...lists, pulled: [], standing: [] };
  const counts = { covers: { turns: 1, rounds: 0 }, tokens_before: 2, tokens_after: 1 };
  log.append({
    type: 'view.compact',
    turn: toTurnId('turn_2'),
    author: 'system',
    path: toBlockPath('su:turn_2.conv.range.summary'),
    data: { cause: 'limit', window: 4, state, ...counts },
  });
  const at = log.blocks.length;
  log.append({
    type: 'timeline_text',
    turn: toTurnId('turn_1'),
    author: 'agent',
    text: 'late',
    data: {},
  });
  const { blocks } = log;
  const whole = foldAll(emptyView, blocks);
  expect(foldAll(foldAll(emptyView, blocks.slice(0, at)), blocks.slice(at))).toStrictEqual(whole);
});
