import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { coveredText } from '../../../../runtime/timeline/compact/covered-rounds.ts';
import { mergeRows, rowsOf } from '../../../../runtime/timeline/compact/memory-rows.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { type CallId, toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import { LogWriter } from '../logs/log-writer.ts';

const turn = toTurnId('turn_1');

function called(tool: string, call: CallId): readonly Draft[] {
  const data = { tool, input: {}, key: call, effects: 'none' };
  return [
    { type: 'react.tool.call', turn, author: 'agent', call, path: paths.call(turn, call), data },
    {
      type: 'react.tool.result',
      turn,
      author: 'tool',
      call,
      path: paths.result(turn, call),
      text: 'done',
      data: { ok: true },
    },
  ];
}

function turnWith(...drafts: readonly Draft[]) {
  const log = new LogWriter();
  const round = { round: 1, as_of: 1, now: '', phase: 'decision', renderer: 1, hashes: {} };
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'Light them.' },
    { type: 'round.open', turn, author: 'system', data: { ...round, landed: [] } },
    ...drafts,
    { type: 'round.close', turn, author: 'system', data: { round: 1, outcome: 'acted' } },
  );
  return foldAll(emptyView, log.blocks);
}

function rows(view: View) {
  return rowsOf(view, view.turns);
}

function covered(view: View, tokensMax = 800): string {
  const [only] = view.turns;
  return only ? coveredText(view, only, { rounds: 1, progress: 'Half.', tokensMax }) : '';
}

test('a canvas that shows a file shares the row of the file, any other canvas has its own row', () => {
  const canvas = (name: string, shows?: string): Draft => ({
    type: 'canvas',
    turn,
    author: 'agent',
    path: paths.canvas(turn, name),
    mime: 'text/markdown',
    text: 'A page.',
    data: { name, ...(shows === undefined ? {} : { file: paths.file(turn, shows) }) },
  });
  const file = (filepath: string): Draft => ({
    type: 'artifact.file',
    turn,
    author: 'agent',
    path: paths.file(turn, filepath),
    mime: 'text/markdown',
    data: { filename: filepath, size: 7, visibility: 'external' },
  });
  const view = turnWith(
    canvas('page.md', 'outputs/page.md'),
    file('outputs/page.md'),
    canvas('files/own.md', 'files/own.md'),
    file('files/own.md'),
    canvas('board'),
  );
  expect(rows(view).files.map(({ ref }) => ref)).toEqual([
    'fi:t1.outputs/page.md',
    'fi:t1.files/own.md',
    'ar:t1.canvas.board',
  ]);
});

test('the row of a turn contains the question and the outcome, and the question only once', () => {
  const summary: Draft = {
    type: 'conv.working.summary',
    turn,
    author: 'agent',
    path: paths.summary(turn, 1),
    text: 'Goal: light the lamps.\nOutcome: all twelve are lit.\nKey facts: 12 lamps.',
    data: {},
  };
  const [row] = rows(turnWith(summary)).turns;
  expect(row?.text).toContain('“Light them.” → all twelve are lit.');
  expect(row?.text).not.toMatch(/Goal|Key facts/);
  const loose = { ...summary, text: 'They are all lit.' };
  expect(rows(turnWith(loose)).turns[0]?.text).toContain('→ They are all lit.');
});

test('a text is not cut if that saves less than a quarter', () => {
  const said = (text: string): Draft => ({
    type: 'conv.working.summary',
    turn,
    author: 'agent',
    path: paths.summary(turn, 1),
    text: `Outcome: ${text}`,
    data: {},
  });
  const nearly = 'the lamps are lit '.repeat(11).trim();
  expect(rows(turnWith(said(nearly))).turns[0]?.text).toContain(`→ ${nearly}`);
  const long = 'the lamps are lit '.repeat(14).trim();
  const cut = rows(turnWith(said(long))).turns[0]?.text ?? '';
  expect(cut).toContain(`→ ${long.slice(0, 150)}`);
  expect(cut).toContain('…');
});

test('control calls without a result of their own have no row', () => {
  const tools = ['react.plan', 'react.pull', 'town.look', 'react.checkout', 'react.read'];
  const view = turnWith(...tools.flatMap((tool, n) => called(tool, toCallId(`tc_${n}`))));
  const { results } = rows(view);
  expect(results.map(({ text }) => text.split(' ')[0])).toEqual(['town.look', 'react.read']);
});

function reading(call: CallId, ...read: readonly string[]): readonly Draft[] {
  const [asked, result] = called('react.read', call);
  const data = { tool: 'react.read', input: { paths: [...read] }, key: call, effects: 'none' };
  const ret = { missing: read.filter((path) => path.endsWith('nowhere')) };
  return [asked, result].flatMap((draft) => {
    if (!draft) return [];
    return [{ ...draft, data: draft.type === 'react.tool.call' ? data : { ok: true, ret } }];
  });
}

// proves: compact.skills
test('a skill that was read has one row and none among the results; a missing skill has none', () => {
  const view = turnWith(
    ...reading(toCallId('tc_1'), 'sk:town.lamps', 'sk:town.nowhere'),
    ...reading(toCallId('tc_2'), 'sk:town.lamps/units.md', 'ar:turn_1.user.prompt'),
    ...reading(toCallId('tc_3'), 'sk:town.lamps'),
  );
  const { skills, results } = mergeRows(undefined, rows(view));
  expect(skills).toEqual([
    { ref: 'sk:town.lamps/units.md', text: 'in t1' },
    { ref: 'sk:town.lamps', text: 'in t1' },
  ]);
  expect(results.map(({ ref }) => ref)).toEqual(['tc:t1.c2.result']);
  const text = covered(view);
  expect(text).toContain(
    'Half.\n\nRead in these rounds, out of sight now: sk:town.lamps, sk:town.lamps/units.md (react.read shows them again)\n',
  );
  expect(text).toContain(`tc:t1.c3.result 1 tokens sk:town.lamps\n`);
});

test('the text for covered rounds contains no ambiguous numbers', () => {
  const view = turnWith(...called('town.look', toCallId('tc_1')));
  const text = covered(view);
  expect(text).toMatch(/^\[MID-TURN COMPACTION\] rounds 1 to 1 of t1\n/);
  expect(text).toContain('[END OF MID-TURN COMPACTION]');
});

test('the text for a covered round names its program', () => {
  const path = paths.code(turn, toCallId('tc_1'));
  const code: Draft = {
    type: 'react.code',
    turn,
    author: 'agent',
    call: toCallId('tc_1'),
    path,
    mime: 'text/x-python',
    text: 'print(1)',
    data: { language: 'python', stream: 's' },
  };
  const view = turnWith(code, ...called('exec_tools.execute_code_python', toCallId('tc_1')));
  const text = covered(view);
  expect(text).toContain('  fi:t1.code.c1 (text/x-python)\n');
});

const noteOf = (n: number, text: string): Draft => ({
  type: 'react.note',
  turn,
  author: 'agent',
  path: paths.note(turn, n),
  text,
  data: { stream: 's' },
});

// proves: compact.notes
test('notes to self of covered rounds are kept word for word, the pinned ones first', () => {
  const pin = '[P] "Temperatures in Fahrenheit, always."';
  const others = Array.from({ length: 30 }, (_, n) =>
    noteOf(n + 2, `Lamp ${n} is rusty `.repeat(9)),
  );
  const view = turnWith(noteOf(1, pin), ...others);
  const memory = (tokensMax: number) => covered(view, tokensMax);
  expect(memory(400)).toContain(`\n- ar:t1.react.note.1 ${pin}\n`);
  expect(memory(400)).toMatch(/\n- … \d+ more in ar:t1\.react\.turn\.index\n/);
  expect(memory(400).split(pin)).toHaveLength(2);
  expect(memory(9_000)).toContain('Lamp 29 is rusty');
  expect(memory(9_000)).not.toContain(' more in ');
});

// proves: compact.plans
test('a plan from covered rounds appears by its path, not by its former state', () => {
  const [asked, result] = called('react.plan', toCallId('tc_1'));
  const input = { mode: 'new', steps: ['Light the lamps'] };
  const ret = { plan_id: 'plan:turn_1:1', mode: 'new', current: true, status: {} };
  const view = turnWith(
    ...(asked
      ? [{ ...asked, data: { tool: 'react.plan', input, key: 'k', effects: 'none' } }]
      : []),
    ...(result ? [{ ...result, text: 'plan:turn_1:1 · current', data: { ok: true, ret } }] : []),
  );
  const text = covered(view);
  expect(text).toContain('react.plan new\n');
  expect(text).toContain('ar:plan.latest:plan:turn_1:1\n');
  expect(text).not.toMatch(/Light the lamps|· current/);
});

test('the text for a covered round contains the notes of each of its calls', () => {
  const notes = (call: CallId, text: string): Draft => ({
    type: 'react.notes',
    turn,
    author: 'agent',
    call,
    text,
    data: { stream: 's' },
  });
  const view = turnWith(
    notes(toCallId('tc_1'), 'Fetching the file'),
    notes(toCallId('tc_2'), 'Counting the lamps'),
  );
  const text = covered(view);
  expect(text).toContain('- round 1 notes: Fetching the file · Counting the lamps');
});
