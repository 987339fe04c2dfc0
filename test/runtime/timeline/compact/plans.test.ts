import { expect, test } from 'vitest';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { type Compacted, compacted, readAll } from './compacted-logs.ts';

const now = '2026-01-01T00:00:00.000Z';

/** A turn with a plan that was closed in it, and a note as long as anybody keeps. */
function writeTurn(log: LogWriter, n: number): void {
  const turn = toTurnId(`turn_${n}`);
  const plan_id = `plan:${turn}:1`;
  const plan = {
    ...{ plan_id, steps: ['look '.repeat(20)], status: { '1': 'pending' }, current: false },
    ...{ created_ts: now, last_ts: now, origin_turn_id: turn, last_turn_id: turn, closed_ts: now },
  };
  const text = `Note ${n} ${'lamps '.repeat(40)}`;
  log.append(
    {
      type: 'turn.open',
      turn,
      author: 'system',
      data: { bundle: 'b', agent: 'main' },
    },
    {
      type: 'user.prompt',
      turn,
      author: 'user',
      path: paths.prompt(turn),
      text: 'And?',
    },
  );
  readAll(log, turn);
  log.append(
    {
      type: 'react.plan',
      turn,
      author: 'agent',
      path: paths.plan(turn, plan_id),
      data: plan,
    },
    {
      type: 'react.note',
      turn,
      author: 'agent',
      path: paths.note(turn, 1),
      text,
      data: {},
    },
    { type: 'turn.close', turn, author: 'system', data: { reason: 'completed' } },
  );
}

function shownIn({ blocks, before }: Compacted): string {
  expect(blocks).not.toBe(before);
  return foldAll(emptyView, blocks).memory?.text ?? '';
}

// proves: compact.plans
test('a full memory does not count closed plans or earlier memories', () => {
  const log = new LogWriter();
  for (let n = 1; n <= 40; n += 1) writeTurn(log, n);
  const how = { recentTurns: 1, forced: true };
  const first = compacted(log.blocks, { ...how, share: 0.3 });
  expect(shownIn(first)).not.toContain('PLANS:');
  const again = new LogWriter('conv_test', first.blocks);
  const open = foldAll(emptyView, first.blocks).openTurn?.id ?? '';
  readAll(again, toTurnId(open));
  again.append({
    type: 'turn.close',
    turn: toTurnId(open),
    author: 'system',
    data: { reason: 'failed' },
  });
  for (let n = 41; n <= 60; n += 1) writeTurn(again, n);
  const second = compacted(again.blocks, { ...how, share: 0.4 });
  expect(shownIn(second)).not.toMatch(/PLANS:|EARLIER MEMORIES:\n- …/);
  const whole = second.blocks.findLast(({ type }) => type === 'view.compact')?.text;
  expect(whole).toContain('closed, 0 of 1 done: look');
});
