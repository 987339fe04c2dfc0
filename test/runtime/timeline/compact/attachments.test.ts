import { expect, test } from 'vitest';
import { chooseCut } from '../../../../runtime/timeline/compact/cut.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { LogWriter } from '../logs/log-writer.ts';

// proves: compact.attachments
test('a message that is too long is cut to its beginning, its attachment does not change', () => {
  const turn = toTurnId('turn_1');
  const log = new LogWriter();
  const words = 'The lamps are lit and the harbour is quiet. '.repeat(200);
  const data = { filename: 'a.csv', size: 48_219 };
  const path = paths.attachment(turn, 'a.csv');
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: words },
    { type: 'user.attachment', turn, author: 'user', path, mime: 'text/csv', text: words, data },
  );
  const cut = chooseCut(foldAll(emptyView, log.blocks), {
    room: 400,
    recentTurns: 1,
    forced: false,
  });
  expect(cut?.long).toEqual([paths.prompt(turn)]);
});
