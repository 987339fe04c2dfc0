import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { Screen } from '../../../../runtime/cli/terminal/screen.ts';
import type { ChatEvent } from '../../../../runtime/client/api/types.ts';

/** What a screen shows of these events. Without columns, the output is not a terminal. */
function shownOf(
  events: readonly object[],
  { colour = false, columns = 80 }: { colour?: boolean; columns?: number | undefined } = {},
): string {
  let shown = '';
  const write = (text: string) => {
    shown += text;
  };
  const screen = new Screen({ colour, columns, write });
  for (const event of events) screen.show(event as ChatEvent);
  screen.line('end', '');
  return shown;
}

function step(name: string, data: object) {
  return { type: 'chat.step', event: { agent: 'a', step: name, status: 'update' }, data };
}

function answer(text: string) {
  const stream = { channel: 'answer', instance: 1, stream: 's', marker: 'answer' };
  return { type: 'chat.delta', delta: { ...stream, text, offset: 0, completed: false } };
}

const tool = (state: 'running' | 'done') => ({
  type: 'chat.tool',
  data: { call: 'tc_1', tool: 'desk.import', input: {}, state, result: { ok: true } },
});
const progress = (data: object) => step('chat.tool.progress', { call: 'tc_1', n: 1, ...data });

// proves: cli.plan
test('a plan shows the state of each of its steps, and when it is closed', () => {
  const plan = {
    steps: ['Profile the table', 'Compare', 'Write', 'Send'],
    status: { 1: 'done', 2: 'in_progress', 3: 'failed', 4: 'pending' },
  };
  expect(shownOf([step('plan', plan)])).toMatchInlineSnapshot(`
    "      plan  ✓ 1 Profile the table
                ▶ 2 Compare
                ✗ 3 Write
                □ 4 Send
           end  
    "
  `);
  expect(shownOf([step('plan', { ...plan, closed_ts: 'now' })])).toContain('closed');
});

// proves: cli.progress
test('the progress of a call stands between its beginning and its end', () => {
  const events = [
    tool('running'),
    progress({ text: 'Reading', fraction: 0.25 }),
    progress({ text: 'Writ' }),
    progress({ text: 'ing', append: true }),
    progress({ data: { rows: 3 } }),
    tool('done'),
  ];
  const shown = [
    '      tool  desk.import …',
    '  progress  25 % · Reading',
    '            Writing',
    '      tool  desk.import done',
    '       end  \n',
  ].join('\n');
  expect(shownOf(events)).toBe(shown);
  expect(shownOf(events, { columns: undefined })).toBe(shown);
});

// proves: cli.progress
test('a call with very much progress shows its first lines and the number of the others', () => {
  const steps = Array.from({ length: 150 }, (_, n) => progress({ text: `row ${n}` }));
  const lines = shownOf([tool('running'), ...steps, tool('done')]).split('\n');
  expect(lines.length).toBeLessThan(20);
  expect(lines).toContainEqual(expect.stringMatching(/^ +… 138 more lines$/));
});

// proves: cli.citations
test('the sources of an answer stand below it with their titles', () => {
  const items = [{ sid: 1, url: 'https://a.example/n', title: 'Climate normals' }];
  const cited = answer('It rained [Climate normals](https://a.example/n).\n');
  expect(shownOf([{ type: 'chat.citations', data: { items } }, cited])).toBe(
    '    answer  It rained [1].\n\n            [1] Climate normals: https://a.example/n\n       end  \n',
  );
});

// proves: cli.colours
test('without colours the same text is shown, and no part of it has a colour', () => {
  const events = [tool('running'), answer('# Rain\n\nIt **rained** in `December`.\n')];
  const [plain, coloured] = [shownOf(events), shownOf(events, { colour: true })];
  expect(plain).not.toContain('\u001b');
  for (const part of ['tool', 'desk.import …', 'Rain', 'rained', 'December'])
    expect(coloured.slice(0, coloured.indexOf(part))).toMatch(/\[[\d;]+m *$/);
  expect(stripVTControlCharacters(coloured)).toBe(plain);
});
