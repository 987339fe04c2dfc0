import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { feedbackLine } from '../../../../runtime/timeline/feedback.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { type TurnId, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { feedbackCharsShown, feedbackKeptMax } from '../../../../runtime/timeline/limits.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import { resolve } from '../../../../runtime/timeline/resolve/resolve.ts';
import { shortNames } from '../../../../runtime/timeline/short-names.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { feedbackOn } from '../logs/write-log.ts';

// proves: feedback.newest-counts
// proves: feedback.shown-once

const open = (turn: TurnId) => ({ type: 'turn.open', turn, author: 'system', data: {} }) as const;
const close = (turn: TurnId) =>
  ({ type: 'turn.close', turn, author: 'system', data: { reason: 'completed' } }) as const;
const round = (turn: TurnId, asOf: number) =>
  ({
    type: 'round.open',
    turn,
    author: 'system',
    data: { round: 1, as_of: asOf, phase: 'decision' },
  }) as const;

const reply = (turn: TurnId) =>
  ({ type: 'model.call', turn, author: 'system', data: { model: 'm' } }) as const;

function announced(blocks: readonly Block[]): readonly string[] {
  const view = foldAll(emptyView, blocks);
  return view.feedback.map((row) => feedbackLine(row, shortNames(view)));
}

test('the newest feedback on a turn counts, and null withdraws it', () => {
  const log = new LogWriter();
  log.append(
    open(toTurnId('turn_1')),
    close(toTurnId('turn_1')),
    open(toTurnId('turn_2')),
    close(toTurnId('turn_2')),
  );
  log.append(
    feedbackOn(toTurnId('turn_1'), 'ok', ''),
    feedbackOn(toTurnId('turn_2'), 'neutral', 'a\nb'),
  );
  log.append(feedbackOn(toTurnId('turn_1'), 'not_ok', 'No.'));
  const line = 'the user says not_ok of t1: No.';
  expect(announced(log.blocks)).toEqual(['the user says neutral of t2: a b', line]);
  log.append(feedbackOn(toTurnId('turn_2'), null, ''));
  expect(announced(log.blocks)).toEqual([line]);
});

test('a turn shows earlier feedback throughout; feedback without a reply is for the next turn', () => {
  const log = new LogWriter();
  log.append(
    open(toTurnId('turn_1')),
    close(toTurnId('turn_1')),
    feedbackOn(toTurnId('turn_1'), 'ok', 'one'),
  );
  log.append(open(toTurnId('turn_2')));
  expect(announced(log.blocks)).toHaveLength(1);
  log.append(
    round(toTurnId('turn_2'), log.head),
    reply(toTurnId('turn_2')),
    feedbackOn(toTurnId('turn_1'), 'not_ok', 'two'),
  );
  log.append(feedbackOn(toTurnId('turn_2'), 'ok', ''));
  expect(announced(log.blocks)).toHaveLength(2);
  log.append(close(toTurnId('turn_2')));
  expect(announced(log.blocks)).toHaveLength(2);
  log.append(
    open(toTurnId('turn_3')),
    round(toTurnId('turn_3'), log.head + 1),
    close(toTurnId('turn_3')),
  );
  expect(announced(log.blocks), 'no model replied in turn_3').toHaveLength(2);
  log.append(
    open(toTurnId('turn_4')),
    round(toTurnId('turn_4'), log.head + 1),
    reply(toTurnId('turn_4')),
  );
  expect(announced(log.blocks)).toHaveLength(2);
  log.append(close(toTurnId('turn_4')));
  expect(announced(log.blocks)).toEqual([]);
});

test('only the newest feedback is shown, each shortened', () => {
  const log = new LogWriter();
  for (let n = 1; n <= feedbackKeptMax + 3; n += 1) {
    log.append(feedbackOn(toTurnId(`turn_${n}`), 'ok', `${'x'.repeat(feedbackCharsShown - 1)}👍`));
  }
  const lines = announced(log.blocks);
  expect(lines).toHaveLength(feedbackKeptMax);
  expect(lines[0]).toContain('turn_4:');
  expect(lines.every((line) => line.isWellFormed() && line.length < 300)).toBe(true);
});

test('invalid feedback blocks are ignored', () => {
  const log = new LogWriter();
  const wrong = [null, {}, { turn_id: 'turn_1', reaction: 'great', origin: 'user' }];
  for (const data of wrong) log.append({ ...feedbackOn(toTurnId('turn_1')), data });
  log.append({ ...feedbackOn(toTurnId('turn_1')), meta: { needs: 99 } });
  expect(announced(log.blocks)).toEqual([]);
});

// proves: feedback.prefix
test('feedback opens no turn, is not an event and does not change the prompt above ANNOUNCE', () => {
  const step = fc.oneof(fc.constant('turn'), fc.constant('said'));
  const reaction = fc.constantFrom('ok', 'not_ok', 'neutral', null);
  fc.assert(
    fc.property(fc.array(fc.tuple(step, reaction), { maxLength: 12 }), (steps) => {
      const log = new LogWriter();
      steps.forEach(([kind, said], n) => {
        if (kind === 'said') log.append(feedbackOn(toTurnId(`turn_${n}`), said, 'words'));
        else
          log.append(
            open(toTurnId(`turn_${n}`)),
            round(toTurnId(`turn_${n}`), log.head + 1),
            close(toTurnId(`turn_${n}`)),
          );
      });
      const silent = log.blocks.filter(({ type }) => type !== 'feedback');
      const [all, without] = [foldAll(emptyView, log.blocks), foldAll(emptyView, silent)];
      const events = ({ turns }: typeof all) =>
        turns.map((turn) => [turn.id, turn.events, turn.rounds]);
      expect(events(all)).toEqual(events(without));
      const parts = (view: typeof all) =>
        render(view, { asOf: toSeq(log.head), announce: '' }).parts;
      expect(parts(all)).toEqual(parts(without));
    }),
  );
});

test('the newest feedback on a turn can be read under its path', () => {
  const log = new LogWriter();
  log.append(
    open(toTurnId('turn_1')),
    close(toTurnId('turn_1')),
    feedbackOn(toTurnId('turn_1'), 'ok', 'Yes.'),
  );
  log.append(feedbackOn(toTurnId('turn_1'), 'not_ok', 'No.'));
  const found = resolve(foldAll(emptyView, log.blocks), paths.feedback(toTurnId('turn_1')));
  expect(found).toMatchObject({ text: 'No.', data: { reaction: 'not_ok' } });
});
