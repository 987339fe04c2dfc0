import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { type TurnId, toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { checkHide } from '../../../../runtime/timeline/prune/hide.ts';
import { planPrune } from '../../../../runtime/timeline/prune/prune.ts';
import { pathsInRows } from '../../../../runtime/timeline/render/text.ts';
import { resolve } from '../../../../runtime/timeline/resolve/resolve.ts';
import { storedPath } from '../../../../runtime/timeline/short-names.ts';
import { LogWriter } from '../logs/log-writer.ts';
import {
  called,
  later,
  openTurn,
  pruned,
  settings,
  shown,
  viewOf,
  writeTurn,
} from './pruned-logs.ts';

// proves: timeline.prune-turn, timeline.prune-light, timeline.prune-worth, timeline.unhide

test('an old turn is replaced by its summary and its kept items, under headings that exist only after a prune', () => {
  const log = new LogWriter();
  const note: Draft = {
    type: 'react.note',
    turn: toTurnId('turn_1'),
    author: 'agent',
    path: paths.note(toTurnId('turn_1'), 1),
    text: 'Call them Ada.',
  };
  const summary: Draft = {
    type: 'conv.working.summary',
    turn: toTurnId('turn_1'),
    author: 'agent',
    path: paths.summary(toTurnId('turn_1'), 1),
    text: 'Goal: see to one. Done.',
  };
  writeTurn(log, toTurnId('turn_1'), { drafts: () => [note, summary] });
  writeTurn(log, toTurnId('turn_2'));
  openTurn(log, toTurnId('turn_3'));
  expect(shown(viewOf(log))).not.toContain('PRUNED TURNS');
  const text = pruned(log);
  expect(text.slice(0, text.indexOf('INTACT TURNS'))).toMatchInlineSnapshot(`
    "PRUNED TURNS - earlier turns in short; every path in them is still there for react.read

    TURN t1

    [INTERNAL NOTE] ar:t1.react.note.1
    Call them Ada.

    [WORKING SUMMARY] ws:t1.conv.working.summary.attempt.1
    Goal: see to one. Done.

    (the whole turn: react.read ar:t1.react.turn.index)

    "
  `);
});

test('without a summary an old turn is replaced by its state and one row for each readable item', () => {
  const log = new LogWriter();
  writeTurn(log, toTurnId('turn_1'), {
    drafts: (turn, call) =>
      called(turn, call, {
        tool: 'data.read',
        input: { column: 'rain' },
        text: 'rain,12.8\n'.repeat(200),
      }),
  });
  writeTurn(log, toTurnId('turn_2'));
  openTurn(log, toTurnId('turn_3'));
  const text = pruned(log);
  const short = viewOf(log).pruned.get(toTurnId('turn_1')) ?? '';
  expect(short).toMatchInlineSnapshot(`
    "[TURN STATUS] completed | 1 round | 9 s

    user: path=ar:t1.user.prompt hint="Please see to turn_1. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It ma…"
    tool_call: path=tc:t1.c1.call tool=data.read hint="{'column':'rain'}"
    tool_result: path=tc:t1.c1.result hint="rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8…"
    assistant: path=ar:t1.assistant.completion.1 hint="The answer of turn_1. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More …"

    (the whole turn: react.read ar:t1.react.turn.index)

    "
  `);
  expect(pathsInRows(short)).toHaveLength(4);
  for (const path of pathsInRows(short))
    expect(resolve(viewOf(log), path)?.path).toBe(storedPath(viewOf(log), path));
  expect(text).not.toContain('rain,12.8\nrain,12.8');
});

test('the state of an old turn omits replaced plans, and shows only the finished steps of a closed plan', () => {
  const log = new LogWriter();
  const now = '2026-01-01T00:00:00.000Z';
  const snapshot = (n: number, more: object): Draft => ({
    type: 'react.plan',
    turn: toTurnId('turn_1'),
    author: 'agent',
    path: paths.plan(toTurnId('turn_1'), `plan:turn_1:${n}`),
    data: {
      plan_id: `plan:turn_1:${n}`,
      steps: [`look ${n}`, `tell ${n}`],
      status: { '1': 'done', '2': 'pending' },
      current: false,
      created_ts: now,
      last_ts: now,
      origin_turn_id: 'turn_1',
      last_turn_id: 'turn_1',
      ...more,
    },
  });
  const drafts = [
    snapshot(1, { superseded_ts: now }),
    snapshot(2, { closed_ts: now }),
    snapshot(3, {}),
  ];
  writeTurn(log, toTurnId('turn_1'), { drafts: () => drafts });
  writeTurn(log, toTurnId('turn_2'));
  openTurn(log, toTurnId('turn_3'));
  const text = pruned(log);
  expect(text.match(/^. \[\d\] .*$/gm)).toEqual(['✓ [1] look 2', '✓ [1] look 3', '□ [2] tell 3']);
});

test('a recent turn that is not intact loses only results that can be found again', () => {
  const log = new LogWriter();
  writeTurn(log, toTurnId('turn_1'), {
    drafts: (turn, call) => [
      ...called(turn, toCallId(`${call}_a`), {
        tool: 'react.memsearch',
        text: 'a hit, '.repeat(300),
      }),
      ...called(turn, toCallId(`${call}_b`), {
        tool: 'react.read',
        input: { paths: ['sk:b.plots'] },
        text: 'draw them so, '.repeat(300),
      }),
      ...called(turn, toCallId(`${call}_c`), {
        tool: 'data.read',
        text: 'worked out, '.repeat(300),
      }),
    ],
  });
  openTurn(log, toTurnId('turn_2'));
  const text = pruned(log);
  expect(text).not.toContain(
    'a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit',
  );
  expect(text).toContain('the text of the skill is pruned');
  expect(text).toContain('worked out, '.repeat(300).trim());
  expect(text).not.toContain('PRUNED TURNS');
  expect(viewOf(log).hidden.size).toBe(2);
});

test('the newest two images stay if their total size allows', () => {
  const log = new LogWriter();
  const image =
    (name: string, size: number) =>
    (turn: TurnId): readonly Draft[] => [
      {
        type: 'user.attachment',
        turn,
        author: 'user',
        path: paths.attachment(turn, name),
        mime: 'image/png',
        blob: { hash: `sha256:${name}`, size },
        data: { filename: name, size },
      },
    ];
  writeTurn(log, toTurnId('turn_1'), {
    drafts: (turn) => [
      ...image('a.png', 600_000)(turn),
      ...image('b.png', 500_000)(turn),
      ...image('c.png', 200_000)(turn),
    ],
  });
  openTurn(log, toTurnId('turn_2'));
  const text = pruned(log);
  expect(text).not.toContain('<fi:turn_1.user.attachments/a.png>');
  expect(text).toContain('<fi:turn_1.user.attachments/b.png>');
  expect(text).toContain('<fi:turn_1.user.attachments/c.png>');
});

test('a prune that saves too little is not written, and one cold cache is used only once', () => {
  const log = new LogWriter();
  writeTurn(log, toTurnId('turn_1'));
  openTurn(log, toTurnId('turn_2'));
  expect(planPrune(viewOf(log), { now: later(log), settings })).toBeUndefined();
  const long = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3'].map(toTurnId)) writeTurn(long, turn);
  openTurn(long, toTurnId('turn_4'));
  pruned(long);
  expect(planPrune(viewOf(long), { now: later(long), settings })).toBeUndefined();
});

test('a hidden path that was read again is shown in its place, but only when the cache is cold', () => {
  const log = new LogWriter();
  const path = paths.result(toTurnId('turn_1'), toCallId('tc_1'));
  writeTurn(log, toTurnId('turn_1'), {
    drafts: (turn) => [
      ...called(turn, toCallId('tc_1'), { tool: 'data.read', text: 'worth keeping' }),
      {
        type: 'view.hide',
        turn,
        author: 'agent',
        data: { path, replacement: 'looked at', cause: 'react.hide' },
      },
      ...called(turn, toCallId('tc_2'), {
        tool: 'react.read',
        input: { paths: [path] },
        text: 'worth keeping',
      }),
    ],
  });
  openTurn(log, toTurnId('turn_2'));
  expect(planPrune(viewOf(log), { now: later(log, 1_000), settings })).toBeUndefined();
  const drafts = planPrune(viewOf(log), { now: later(log), settings });
  expect(drafts?.map(({ type, data }) => [type, data])).toEqual([
    ['view.unhide', { path, cause: 'read' }],
    ['cache.break', { cause: 'unhide', tokens: 0 }],
  ]);
  log.append(...(drafts ?? []));
  expect(viewOf(log).hidden.size).toBe(0);
});

test('nothing of a pruned turn can be hidden, because it is not in the prompt', () => {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3'].map(toTurnId)) writeTurn(log, turn);
  openTurn(log, toTurnId('turn_4'));
  pruned(log);
  expect(checkHide(viewOf(log), paths.completion(toTurnId('turn_1'), 1)).status).toBe('not_found');
  expect(checkHide(viewOf(log), paths.completion(toTurnId('turn_3'), 1)).status).toBe('ok');
});

function rate(log: LogWriter, reaction: 'ok' | 'not_ok' | null, text = ''): void {
  const turn_id = toTurnId('turn_2');
  const data = { turn_id, reaction, origin: 'user' };
  const path = toBlockPath('ar:turn_2.feedback.user');
  log.append({ type: 'feedback', turn: turn_id, author: 'user', path, text, data });
}

// proves: feedback.folded
test('feedback stands in its turn from the first cold moment on, and changes there only when the cache is cold again', () => {
  const log = new LogWriter();
  writeTurn(log, toTurnId('turn_1'));
  writeTurn(log, toTurnId('turn_2'));
  rate(log, 'not_ok', 'The sum is wrong.');
  openTurn(log, toTurnId('turn_3'));
  const before = shown(viewOf(log));
  expect(before).not.toContain('The sum is wrong.');
  expect(planPrune(viewOf(log), { now: later(log, 1_000), settings })).toBeUndefined();
  const line = '[TURN FEEDBACK]\nthe user says not_ok of t2: The sum is wrong.\n\nTURN t3';
  expect(pruned(log)).toContain(line);
  expect(planPrune(viewOf(log), { now: later(log), settings })).toBeUndefined();
  writeTurn(log, toTurnId('turn_4'));
  rate(log, null);
  openTurn(log, toTurnId('turn_5'));
  expect(shown(viewOf(log))).toContain(line);
  expect(pruned(log)).not.toContain('TURN FEEDBACK');
});

// proves: feedback.folded
test('feedback alone is a reason to change a cold prompt, and a pruned turn keeps it', () => {
  const log = new LogWriter();
  writeTurn(log, toTurnId('turn_1'));
  writeTurn(log, toTurnId('turn_2'));
  openTurn(log, toTurnId('turn_3'));
  const twoOf = { ...settings, recentTurns: 9, intactTurns: 9 };
  expect(planPrune(viewOf(log), { now: later(log), settings: twoOf })).toBeUndefined();
  rate(log, 'ok');
  const drafts = planPrune(viewOf(log), { now: later(log), settings: twoOf }) ?? [];
  expect(drafts.map(({ type }) => type)).toEqual(['view.prune', 'cache.break']);
  log.append(...drafts);
  expect(shown(viewOf(log))).toContain('[TURN FEEDBACK]\nthe user says ok of t2\n\nTURN t3');
  writeTurn(log, toTurnId('turn_4'));
  writeTurn(log, toTurnId('turn_5'));
  openTurn(log, toTurnId('turn_6'));
  const text = pruned(log);
  expect(text.slice(0, text.indexOf('INTACT TURNS'))).toContain('the user says ok of t2');
});
