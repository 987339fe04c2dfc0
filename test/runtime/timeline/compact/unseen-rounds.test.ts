import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { chooseCut } from '../../../../runtime/timeline/compact/cut.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { LogWriter } from '../logs/log-writer.ts';

const turn = toTurnId('turn_1');

/** An open turn with a round of each outcome, each shown to the round after it. */
function roundsOf(...outcomes: readonly string[]) {
  const log = new LogWriter();
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'Light them.' },
  );
  for (const [index, outcome] of outcomes.entries()) {
    const round = index + 1;
    const notes: Draft = {
      type: 'react.notes',
      turn,
      author: 'agent',
      text: 'Lamps. '.repeat(200),
    };
    log.append(
      { type: 'round.open', turn, author: 'system', data: { round, as_of: log.head } },
      notes,
      { type: 'round.close', turn, author: 'system', data: { round, outcome } },
    );
  }
  return foldAll(emptyView, log.blocks);
}

const inputs = { room: 300, recentTurns: 1, forced: true };

// proves: compact.unseen
test('a round that no prompt has shown is not covered', () => {
  expect(chooseCut(roundsOf('acted', 'acted', 'acted'), inputs)?.rounds).toBe(2);
  expect(chooseCut(roundsOf('acted'), inputs)).toBeUndefined();
});

// proves: compact.unseen
test('unreadable replies stay in the prompt with their violations', () => {
  const view = roundsOf('acted', 'acted', 'violation', 'violation');
  expect(chooseCut(view, inputs)?.rounds).toBe(2);
});
