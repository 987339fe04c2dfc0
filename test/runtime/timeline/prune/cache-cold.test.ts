import { expect, test } from 'vitest';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { planPrune } from '../../../../runtime/timeline/prune/prune.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { later, openTurn, settings, viewOf, writeTurn } from './pruned-logs.ts';

// proves: timeline.prune-cold

test('a prefix that may still be cached is never changed', () => {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3'].map(toTurnId)) writeTurn(log, turn);
  openTurn(log, toTurnId('turn_4'));
  const last = Date.parse(log.blocks.findLast(({ type }) => type === 'model.call')?.at ?? '');
  const at = (now: number) => planPrune(viewOf(log), { now, settings });
  expect(at(last + 289_999)).toBeUndefined();
  expect(at(last - 1_000_000)).toBeUndefined();
  expect(at(last + 290_000)?.[0]).toMatchObject({
    type: 'view.prune',
    data: { evidence: { by: 'clock', idle_ms: 290_000 } },
  });
});

test('observed cache lifetimes count, longer ones and missing ones', () => {
  const log = new LogWriter();
  writeTurn(log, toTurnId('turn_1'), {
    usage: { cache_write_tokens: 9_000, cache_read_tokens: 0 },
  });
  const slow = new LogWriter(
    'conv_test',
    log.blocks.map((block) => ({ ...block, at: minutesEarlier(block.at, 10) })),
  );
  writeTurn(slow, toTurnId('turn_2'), {
    usage: { cache_read_tokens: 9_000, cache_write_tokens: 100 },
  });
  writeTurn(slow, toTurnId('turn_3'), {
    usage: { cache_read_tokens: 9_100, cache_write_tokens: 100 },
  });
  openTurn(slow, toTurnId('turn_4'));
  expect(planPrune(viewOf(slow), { now: later(slow, 400_000), settings })).toBeUndefined();
  expect(planPrune(viewOf(slow), { now: later(slow, 700_000), settings })).toBeDefined();
  const none = new LogWriter('conv_test', log.blocks);
  writeTurn(none, toTurnId('turn_2'));
  openTurn(none, toTurnId('turn_3'));
  expect(planPrune(viewOf(none), { now: later(none, 1_000), settings })?.[0]).toMatchObject({
    data: { evidence: { by: 'reported' } },
  });
});

function minutesEarlier(at: string, minutes: number): string {
  return new Date(Date.parse(at) - minutes * 60_000).toISOString();
}

test('a changed model or system text makes every prefix cold', () => {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3'].map(toTurnId)) writeTurn(log, turn);
  openTurn(log, toTurnId('turn_4'));
  const drafts = planPrune(viewOf(log), {
    now: later(log, 0),
    settings: { ...settings, changed: true },
  });
  expect(drafts?.[0]).toMatchObject({ data: { evidence: { by: 'changed' } } });
});
