import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { chooseCut } from '../../../../runtime/timeline/compact/cut.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { type TurnId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { readAll } from './compacted-logs.ts';

// proves: recall.unseen

/** Three turns with a round each; the second was stopped before a round had read what came last. */
function stopped(): LogWriter {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2'].map(toTurnId)) {
    log.append(opened(turn), said(turn, 'user.prompt', paths.prompt(turn)));
    readAll(log, turn);
    if (turn === 'turn_2') {
      log.append(said(turn, 'external.followup', paths.external(turn, 'followup', 'm_1')));
      log.append(said(turn, 'external.steer', paths.external(turn, 'steer', 'm_2')));
    }
    log.append({
      type: 'turn.close',
      turn,
      author: 'system',
      data: { reason: 'interrupted' },
    });
  }
  log.append(opened(toTurnId('turn_3')));
  return log;
}

/** A turn that a round has read; what was said after that; whether a stop without words ended it. */
type Story = { readonly later: readonly ('followup' | 'steer')[]; readonly stop: boolean };

function logOf(stories: readonly Story[]): LogWriter {
  const log = new LogWriter();
  for (const [at, { later, stop }] of stories.entries()) {
    const turn = toTurnId(`turn_${at + 1}`);
    log.append(opened(turn), said(turn, 'user.prompt', paths.prompt(turn)));
    readAll(log, turn);
    for (const [n, kind] of later.entries()) {
      log.append(said(turn, `external.${kind}`, paths.external(turn, kind, `m_${n}`)));
    }
    if (stop) {
      const path = paths.external(turn, 'steer', 'stop');
      log.append({ ...said(turn, 'external.steer', path), text: ' ' });
    }
    const reason = stop ? 'interrupted' : 'completed';
    log.append({ type: 'turn.close', turn, author: 'system', data: { reason } });
  }
  log.append(
    opened(toTurnId('turn_now')),
    said(toTurnId('turn_now'), 'user.prompt', paths.prompt(toTurnId('turn_now'))),
  );
  return log;
}

const least = { room: 6_000, recentTurns: 1, forced: true };

function opened(turn: TurnId): Draft {
  return { type: 'turn.open', turn, author: 'system', data: { bundle: 'b', agent: 'main' } };
}

function said(turn: TurnId, type: 'user.prompt' | `external.${string}`, path: string): Draft {
  return {
    type,
    turn,
    author: 'user',
    path: toBlockPath(path),
    event: path,
    text: 'Light the lamps. '.repeat(400),
  };
}

test('a turn with an unread event is never compacted', () => {
  const log = stopped();
  const turns = () => {
    const view = foldAll(emptyView, log.blocks);
    const cut = chooseCut(view, { room: 6_000, recentTurns: 1, forced: true });
    return cut?.turns.map(({ id }) => id);
  };
  expect(turns()).toEqual(['turn_1']);
  readAll(log, toTurnId('turn_3'));
  expect(turns()).toEqual(['turn_1', 'turn_2']);
});

// proves: compact.stopped
test('a stop that ended its turn counts as read: it cannot be recalled, and its turn can be compacted', () => {
  const log = logOf([
    { later: [], stop: false },
    { later: [], stop: true },
  ]);
  const cut = chooseCut(foldAll(emptyView, log.blocks), least);
  expect(cut?.turns.map(({ id }) => id)).toEqual(['turn_1', 'turn_2']);
});

test('turns are compacted up to the first one with an event that can still be recalled', () => {
  const story = fc.record({
    later: fc.array(fc.constantFrom('followup', 'steer'), { maxLength: 2 }),
    stop: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(story, { minLength: 1, maxLength: 5 }), (stories) => {
      const { blocks } = logOf(stories);
      const view = foldAll(emptyView, blocks);
      const gone = (event: Block) => {
        const { path = '', turn } = event;
        const log = new LogWriter('conv_test', blocks);
        log.append({
          type: 'external.recall',
          turn,
          author: 'user',
          path: toBlockPath(path),
          event: 'r',
          data: {},
        });
        const { turns } = foldAll(emptyView, log.blocks);
        return !turns.some(({ events }) => events.some(({ seq }) => seq === event.seq));
      };
      const firstLoose = view.turns.findIndex(({ events }) => events.some(gone));
      const cut = chooseCut(view, least);
      expect(cut?.turns ?? []).toEqual(view.turns.slice(0, firstLoose));
    }),
    { numRuns: 50 },
  );
});
