import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { chooseCut } from '../../../../runtime/timeline/compact/cut.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { LogWriter } from '../log-writer.ts';
import { readAll } from './logs.ts';

// proves: recall.unseen

/** Three turns with a round each; the second was stopped before a round had read what came last. */
function stopped(): LogWriter {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2']) {
    log.append(opened(turn), said(turn, 'user.prompt', paths.prompt(turn)));
    readAll(log, turn);
    if (turn === 'turn_2') {
      log.append(said(turn, 'external.followup', paths.external(turn, 'followup', 'm_1')));
      log.append(said(turn, 'external.steer', paths.external(turn, 'steer', 'm_2')));
    }
    log.append({ type: 'turn.close', turn, author: 'system', data: { reason: 'interrupted' } });
  }
  log.append(opened('turn_3'));
  return log;
}

function opened(turn: string): Draft {
  return { type: 'turn.open', turn, author: 'system', data: { bundle: 'b', agent: 'main' } };
}

function said(turn: string, type: 'user.prompt' | `external.${string}`, path: string): Draft {
  return { type, turn, author: 'user', path, event: path, text: 'Light the lamps. '.repeat(400) };
}

test('a turn with a word that no round has read stays, however little room there is', () => {
  const log = stopped();
  const turns = () => {
    const view = foldAll(emptyView, log.blocks);
    const cut = chooseCut(view, { room: 6_000, recentTurns: 1, forced: true });
    return cut?.turns.map(({ id }) => id);
  };
  expect(turns()).toEqual(['turn_1']);
  readAll(log, 'turn_3');
  expect(turns()).toEqual(['turn_1', 'turn_2']);
});
