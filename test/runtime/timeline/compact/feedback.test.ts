import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { turnScript } from '../logs/log-scripts.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { feedbackOn, writeLog } from '../logs/write-log.ts';
import { compacted } from './compacted-logs.ts';

test('unseen feedback survives a compaction; an older compaction without feedback can be read', () => {
  const log = new LogWriter('conv_test', [
    ...writeLog(fc.sample(turnScript, { numRuns: 3, seed: 7 })),
  ]);
  log.append(feedbackOn(toTurnId('turn_2')), feedbackOn(toTurnId('turn_1'), 'neutral', 'Fine.'));
  const { blocks, before } = compacted(log.blocks, { share: 0.2, recentTurns: 1, forced: true });
  expect(blocks).not.toBe(before);
  const { feedback } = foldAll(emptyView, blocks);
  expect(feedback.map(({ turn, reaction }) => [turn, reaction]).slice(-2)).toEqual([
    ['turn_2', 'not_ok'],
    ['turn_1', 'neutral'],
  ]);
  const old = blocks.map((block) =>
    block.type === 'view.compact'
      ? (JSON.parse(JSON.stringify(block).replace(/,"feedback":\[[^\]]*\]/, '')) as Block)
      : block,
  );
  expect(JSON.stringify(old)).not.toContain('"feedback":');
  expect(foldAll(emptyView, old).feedback).toEqual([]);
});

test('late feedback about a removed turn does not bring the turn back', () => {
  const log = writeLog(fc.sample(turnScript, { numRuns: 3, seed: 7 }));
  const { blocks, before } = compacted(log, { share: 0.2, recentTurns: 1, forced: true });
  expect(blocks).not.toBe(before);
  const late = new LogWriter('conv_test', blocks);
  late.append(feedbackOn(toTurnId('turn_1')));
  const view = foldAll(emptyView, late.blocks);
  expect(view.openTurn?.id).toBe(foldAll(emptyView, blocks).openTurn?.id);
  expect(view.turns.map(({ id }) => id)).not.toContain('turn_1');
  expect(view.feedback.at(-1)).toMatchObject({ turn: 'turn_1', reaction: 'not_ok' });
});
