import { expect, test } from 'vitest';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { turnIndex } from '../../../../runtime/timeline/resolve/turn-index.ts';
import { LogWriter } from '../logs/log-writer.ts';

const turn = toTurnId('turn_1');
const system = { turn, author: 'system' as const };

function opened(): LogWriter {
  const log = new LogWriter();
  log.append(
    { ...system, type: 'turn.open', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'Review it' },
  );
  return log;
}

function indexOf(log: LogWriter): string {
  const view = foldAll(emptyView, log.blocks);
  const [only] = view.turns;
  return only ? turnIndex(view, only) : '';
}

// proves: steer.index
test('the index of a turn says that it was steered, and names the round that the steer ended', () => {
  const log = opened();
  const openRound = (round: number) =>
    log.append({ ...system, type: 'round.open', data: { round, as_of: log.head } });
  openRound(1);
  log.append({ type: 'react.thinking', turn, author: 'agent', text: 'Hm', data: {} });
  log.append({
    ...{ type: 'external.steer', turn, author: 'user', text: 'only May' },
    path: paths.external(turn, 'steer', 'msg_1'),
  });
  log.append(
    { ...system, type: 'model.call', data: { finish: 'interrupted' } },
    { ...system, type: 'round.close', data: { round: 1, outcome: 'interrupted' } },
  );
  openRound(2);
  expect(indexOf(log)).toContain('TURN INDEX t1 (open, steered)\n');
  expect(indexOf(log)).not.toContain('round 2');
  log.append({ ...system, type: 'round.close', data: { round: 2, outcome: 'answered' } });
  log.append({ ...system, type: 'turn.close', data: { reason: 'completed' } });
  const index = indexOf(log);
  expect(index).toContain('TURN INDEX t1 (closed: completed, steered)\n');
  expect(index).toContain(
    '## interrupted rounds\nround 1: interrupted by a message of the user; nothing of this reply ran\n',
  );
  expect(index).not.toContain('round 2');
});

test('the index of a turn without a steer does not speak of one', () => {
  const log = opened();
  log.append({ ...system, type: 'turn.close', data: { reason: 'completed' } });
  expect(indexOf(log)).toContain('TURN INDEX t1 (closed: completed)\n');
});

// proves: steer.files
test('the index of a turn says which of its files the user has', () => {
  const log = opened();
  const file = (name: string, visibility: string) =>
    log.append({
      ...{ type: 'artifact.file', turn, author: 'agent', mime: 'text/csv' },
      path: paths.file(turn, name),
      data: { filename: name, size: 1, visibility },
    });
  file('outputs/a.csv', 'internal');
  file('outputs/a.csv', 'external');
  file('files/b.csv', 'internal');
  const index = indexOf(log);
  expect(index).toContain('- fi:t1.outputs/a.csv (text/csv) (the user has it)');
  expect(index).toContain('- fi:t1.files/b.csv (text/csv) (internal)');
});
