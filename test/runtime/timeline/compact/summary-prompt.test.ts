import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { blocksOf, summaryPrompt } from '../../../../runtime/timeline/compact/summary-prompt.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { type CallId, toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { inReadingOrder } from '../../../../runtime/timeline/render/reading-order.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import { LogWriter } from '../logs/log-writer.ts';

const turn = toTurnId('turn_1');
const line = 'the lamps were lit; ';

function viewOf(...drafts: readonly Omit<Draft, 'turn'>[]): View {
  const log = new LogWriter();
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'Light them.' },
    ...drafts.map((draft) => ({ ...draft, turn })),
  );
  return foldAll(emptyView, log.blocks);
}

function asked(
  view: View,
  about: 'history' | 'progress' = 'history',
  notes: readonly string[] = [],
) {
  const blocks = blocksOf(view.turns);
  const events = about === 'progress' ? (view.openTurn?.events ?? []) : [];
  const material = {
    blocks: about === 'progress' ? [] : blocks,
    before: '',
    about,
    events,
    notes,
    until: 'round 2',
  };
  return summaryPrompt(view, material, { tokensMax: 100_000, answerTokensMax: 1_000 });
}

function resultOf(chars: number): readonly Omit<Draft, 'turn'>[] {
  const call = { call: toCallId('tc_1') };
  const input = { tool: 'town.look', input: {}, key: 'k', effects: 'none' };
  return [
    {
      type: 'react.tool.call',
      author: 'agent',
      ...call,
      path: paths.call(turn, toCallId('tc_1')),
      data: input,
    },
    {
      type: 'react.tool.result',
      author: 'tool',
      ...call,
      path: paths.result(turn, toCallId('tc_1')),
      text: line.repeat(chars / line.length),
      data: { ok: true },
    },
  ];
}

test('a summary prompt states the character limit, and what to leave out', () => {
  const system = asked(viewOf())?.system ?? '';
  expect(system).toContain('at most 2000 characters');
  expect(system).toContain('If it does not fit, leave out old figures');
});

test('the prompt says that newer messages stay visible, and contains the question of an open turn', () => {
  expect(asked(viewOf())?.system).toContain('newer messages stay visible');
  const progress = asked(viewOf(), 'progress');
  expect(progress?.text).toMatch(
    /^What the user asked[^\n]*\n\n\[USER MESSAGE\][^\n]*\nLight them\./,
  );
});

test('the prompt names the lists that the system adds, so that the model does not repeat them', () => {
  expect(asked(viewOf())?.system).toMatch(/lists.*notes.*files.*do not list them again/s);
});

// proves: compact.notes
test('the prompt contains the notes that the system adds, so that the model does not repeat them', () => {
  const notes = ['[P] "Always answer in Fahrenheit."', '[P] "Two sentences."'];
  const brief = asked(viewOf(), 'history', notes);
  expect(brief?.text).toMatch(
    /^Notes that stand below your text:\n- \[P\] "Always answer in Fahrenheit\."\n- \[P\] "Two sentences\."\n\nWhat happened:/,
  );
  expect(brief?.system).toMatch(/Rules of the user: .*a note below your text.*summary so far/);
  expect(asked(viewOf())?.text).not.toContain('Notes that stand');
  const progress = asked(viewOf(), 'progress', notes);
  expect(progress?.text).toContain(
    'Notes that the agent still sees:\n- [P] "Always answer in Fahrenheit."\n',
  );
  expect(progress?.system).toMatch(/Learned: .*decisions with why/);
});

test('the prompt contains the remarks of the agent with its calls, but not its thinking', () => {
  const said = (type: string, text: string, data = {}) => ({
    type,
    author: 'agent' as const,
    text,
    data: { stream: 's', ...data },
  });
  const view = viewOf(
    said('react.thinking', 'To myself.', { instance: 1 }),
    said('react.notes', 'Trying the old key first'),
    said('timeline_text', 'The new key does not turn.'),
    { ...said('react.note', 'The lock is rusty.'), path: paths.note(turn, 1) },
  );
  const text = asked(view)?.text ?? '';
  for (const words of ['Trying the old key first', 'The new key does', 'The lock is rusty.'])
    expect(text).toContain(words);
  expect(text).not.toContain('To myself.');
});

test('the result of a program is summarised, not its source; a result is not cut to save little', () => {
  const code = (chars: number) => ({
    type: 'react.code',
    author: 'agent' as const,
    call: toCallId('tc_1'),
    path: paths.code(turn, toCallId('tc_1')),
    text: line.repeat(chars / line.length),
    data: { language: 'python' },
  });
  const text = asked(viewOf(code(400), ...resultOf(2_600)))?.text ?? '';
  expect(text).not.toContain('[CODE]');
  expect(text).toContain('[TOOL RESULT c1] ok | tc:t1.c1.result');
  expect(text).not.toContain('the whole is at');
  expect(asked(viewOf(...resultOf(9_000)))?.text).toContain('the whole is at');
});

test('open questions refer to a named turn or round, and the prompt does not request next steps', () => {
  for (const about of ['history', 'progress'] as const) {
    const system = asked(viewOf(), about)?.system ?? '';
    expect(system).toContain('\nOpen after round 2: ');
    expect(system).not.toContain('next steps');
  }
});

test('a skill that was read appears by its path; together with a file it appears in full', () => {
  const read = (reading: readonly string[]): readonly Omit<Draft, 'turn'>[] => [
    {
      type: 'round.open',
      author: 'system',
      data: { round: 1, as_of: 2, phase: 'decision' },
    },
    {
      type: 'react.tool.call',
      author: 'agent',
      call: toCallId('tc_1'),
      path: paths.call(turn, toCallId('tc_1')),
      data: { tool: 'react.read', input: { paths: [...reading] }, key: 'k', effects: 'none' },
    },
    {
      type: 'react.tool.result',
      author: 'tool',
      call: toCallId('tc_1'),
      path: paths.result(turn, toCallId('tc_1')),
      text: `${reading.join(' ')} ${line.repeat(9)}`,
      data: { ok: true },
    },
  ];
  const skill = asked(viewOf(...read(['sk:town.lamps'])))?.text ?? '';
  expect(skill).toContain('the text of sk:town.lamps');
  expect(skill).not.toContain(line);
  const both = ['sk:town.lamps', 'fi:turn_1.outputs/a.md'];
  expect(asked(viewOf(...read(both)))?.text).toContain(line);
});

test('a round is shown call by call, as the agent saw it', () => {
  const of = (call: CallId) =>
    resultOf(20).map((draft) => ({
      ...draft,
      call,
      path: draft.type === 'react.tool.call' ? paths.call(turn, call) : paths.result(turn, call),
    }));
  const [[asked1, told1], [asked2, told2]] = [of(toCallId('tc_1')), of(toCallId('tc_2'))];
  const round = { round: 1, as_of: 2, phase: 'decision' };
  const open = { type: 'round.open', author: 'system' as const, data: round };
  const log = [open, asked1, asked2, told1, told2].flatMap((draft) => draft ?? []);
  const labels = asked(viewOf(...log))?.text.match(/\[TOOL \w+ \w+\]/g);
  expect(labels).toEqual([
    '[TOOL CALL c1]',
    '[TOOL RESULT c1]',
    '[TOOL CALL c2]',
    '[TOOL RESULT c2]',
  ]);
});

test('a cut text states the size of the full content, not of its preview', () => {
  const file = {
    type: 'user.attachment',
    author: 'user' as const,
    path: paths.attachment(turn, 'a.csv'),
    mime: 'text/csv',
    text: line.repeat(200),
    data: { filename: 'a.csv', size: 48_219 },
  };
  const canvas = {
    type: 'canvas',
    author: 'agent' as const,
    path: paths.canvas(turn, 'page.md'),
    mime: 'text/markdown',
    text: line.repeat(320),
    data: { name: 'page.md' },
  };
  const text = asked(viewOf(file, canvas))?.text ?? '';
  const [fileNote, pageNote] = [...text.matchAll(/… \(only the beginning, (.*)\)$/gm)].map(
    ([, note]) => note,
  );
  expect(fileNote).toMatch(
    /^\d{3} of 48219 bytes; the whole is at fi:t1\.user\.attachments\/a\.csv$/,
  );
  expect(pageNote).toMatch(/^\d{3} of 6400 characters; the whole is at ar:t1\.canvas\.page\.md$/);
});

// proves: compact.programs
test('programs of an open turn are shown by their beginning, with their paths', () => {
  const code = `# sums up the lamps\n${'lamps += 1\n'.repeat(500)}print("the end")`;
  const view = viewOf(
    { type: 'round.open', author: 'system', data: { round: 1, as_of: 2, phase: 'decision' } },
    {
      ...{
        type: 'react.code',
        author: 'agent',
        call: toCallId('tc_1'),
        path: paths.code(turn, toCallId('tc_1')),
      },
      ...{ mime: 'text/x-python', text: code, data: { language: 'python' } },
    },
    ...resultOf(40),
    { type: 'round.close', author: 'system', data: { round: 1, outcome: 'acted' } },
  );
  const progress = {
    ...{ blocks: view.turns.flatMap(({ rounds }) => rounds.flatMap(inReadingOrder)), before: '' },
    ...{ about: 'progress' as const, events: [], notes: [], until: 'round 1' },
  };
  const room = { tokensMax: 100_000, answerTokensMax: 1_000 };
  const text = summaryPrompt(view, progress, room)?.text;
  expect(text).toMatch(/\[CODE\][^\n]*python[^\n]*\n# sums up the lamps\n/);
  expect(text).toContain(`of ${code.length} characters`);
  expect(text).toContain('fi:t1.code.c1');
  expect(text).not.toContain('the end');
});

test('the summary of rounds shows why the last step was taken, but not why the earlier ones were', () => {
  const round = (number: number, thought: string): readonly Omit<Draft, 'turn'>[] => [
    { type: 'round.open', author: 'system', data: { round: number, as_of: 2, phase: 'decision' } },
    { type: 'react.thinking', author: 'agent', text: thought },
    {
      ...{ type: 'round.close', author: 'system' },
      data: { round: number, outcome: 'acted' },
    },
  ];
  const view = viewOf(...round(1, 'I count first.'), ...round(2, 'The sum is odd, so I check it.'));
  const progress = {
    ...{ blocks: view.turns.flatMap(({ rounds }) => rounds.flatMap(inReadingOrder)), before: '' },
    ...{ about: 'progress' as const, events: [], notes: [], until: 'round 2' },
  };
  const text = summaryPrompt(view, progress, { tokensMax: 100_000, answerTokensMax: 1_000 })?.text;
  expect(text).toContain('The sum is odd, so I check it.');
  expect(text).not.toContain('I count first.');
});
