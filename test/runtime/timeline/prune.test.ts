import { expect, test } from 'vitest';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../runtime/timeline/fold.ts';
import { judgeHide } from '../../../runtime/timeline/hide.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import { type PruneSettings, planPrune } from '../../../runtime/timeline/prune.ts';
import { render } from '../../../runtime/timeline/render.ts';
import { pathsInRows } from '../../../runtime/timeline/render-text.ts';
import { resolve } from '../../../runtime/timeline/resolve.ts';
import type { View } from '../../../runtime/timeline/view.ts';
import { LogWriter } from './log-writer.ts';

// proves: timeline.prune-cold, timeline.prune-turn, timeline.prune-light, timeline.prune-worth, timeline.unhide

const settings: PruneSettings = { ttlMs: 300_000, recentTurns: 2, intactTurns: 1, changed: false };

type Round = {
  readonly drafts?: (turn: string, call: string) => readonly Draft[];
  readonly usage?: object;
};

/** A turn with one round that calls a tool, and one that answers. */
function writeTurn(log: LogWriter, turn: string, { drafts = () => [], usage }: Round = {}): void {
  const call = `tc_${turn}`;
  openTurn(log, turn);
  log.append(
    { type: 'round.open', turn, author: 'system', data: { round: 1, as_of: log.head } },
    { type: 'react.thinking', turn, author: 'agent', text: 'Let me look. '.repeat(40), data: {} },
    modelCall(turn, usage),
    ...drafts(turn, call),
    {
      type: 'assistant.completion',
      turn,
      author: 'agent',
      path: paths.completion(turn, 1),
      text: `The answer of ${turn}. ${'More of it. '.repeat(60)}`,
      data: { n: 1 },
    },
    { type: 'round.close', turn, author: 'system', data: { round: 1, outcome: 'answered' } },
    { type: 'turn.close', turn, author: 'system', data: { reason: 'completed' } },
  );
}

function openTurn(log: LogWriter, turn: string): void {
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    {
      type: 'user.prompt',
      turn,
      author: 'user',
      path: paths.prompt(turn),
      text: `Please see to ${turn}. ${'It matters. '.repeat(30)}`,
    },
  );
}

function modelCall(turn: string, usage: object = {}): Draft {
  const counted = { input_tokens: 1, output_tokens: 1, ...usage };
  return {
    type: 'model.call',
    turn,
    author: 'system',
    data: { model: 'm', finish: 'stop', usage: counted, actions: [] },
  };
}

function called(turn: string, call: string, more: Called): readonly Draft[] {
  const { tool, input = {}, text, ret } = more;
  return [
    {
      type: 'react.tool.call',
      turn,
      author: 'agent',
      call,
      path: paths.call(turn, call),
      data: { tool, input },
    },
    {
      type: 'react.tool.result',
      turn,
      author: 'tool',
      call,
      path: paths.result(turn, call),
      text,
      data: { ok: true, ...(ret === undefined ? {} : { ret }) },
    },
  ];
}
type Called = {
  tool: string;
  input?: Record<string, string | string[]>;
  text: string;
  ret?: string[];
};

function viewOf(log: LogWriter): View {
  return foldAll(emptyView, log.blocks);
}

/** Long after the last block. */
function later(log: LogWriter, ms = 400_000): number {
  return Date.parse(log.blocks.at(-1)?.at ?? '') + ms;
}

function shown(view: View): string {
  return render(view, { asOf: view.head, announce: '' })
    .parts.map((part) => (part.kind === 'text' ? part.text : `<${part.path}>`))
    .join('');
}

/** Prunes as an engine would, and gives the prompt after it. */
function pruned(log: LogWriter, now = later(log)): string {
  log.append(...(planPrune(viewOf(log), { now, settings }) ?? []));
  return shown(viewOf(log));
}

test('an old turn becomes its summary and what is kept of it, under headings that only a prune brings', () => {
  const log = new LogWriter();
  const note: Draft = {
    type: 'react.note',
    turn: 'turn_1',
    author: 'agent',
    path: paths.note('turn_1', 1),
    text: 'Call them Ada.',
  };
  const summary: Draft = {
    type: 'conv.working.summary',
    turn: 'turn_1',
    author: 'agent',
    path: paths.summary('turn_1', 1),
    text: 'Goal: see to one. Done.',
  };
  writeTurn(log, 'turn_1', { drafts: () => [note, summary] });
  writeTurn(log, 'turn_2');
  openTurn(log, 'turn_3');
  expect(shown(viewOf(log))).not.toContain('PRUNED TURNS');
  const text = pruned(log);
  expect(text.slice(0, text.indexOf('INTACT TURNS'))).toMatchInlineSnapshot(`
    "PRUNED TURNS - earlier turns in short; every path in them is still there for react.read

    TURN turn_1

    [INTERNAL NOTE] ar:turn_1.react.note.1
    Call them Ada.

    [WORKING SUMMARY] ws:turn_1.conv.working.summary.attempt.1
    Goal: see to one. Done.

    (the whole turn: react.read ar:turn_1.react.turn.index)

    "
  `);
});

test('without a summary an old turn is told by its state and one row for each thing that can be read again', () => {
  const log = new LogWriter();
  writeTurn(log, 'turn_1', {
    drafts: (turn, call) =>
      called(turn, call, {
        tool: 'data.read',
        input: { column: 'rain' },
        text: 'rain,12.8\n'.repeat(200),
      }),
  });
  writeTurn(log, 'turn_2');
  openTurn(log, 'turn_3');
  const text = pruned(log);
  const short = viewOf(log).pruned.get('turn_1') ?? '';
  expect(short).toMatchInlineSnapshot(`
    "[TURN STATUS] completed | 1 round | 9 s

    user: path=ar:turn_1.user.prompt hint="Please see to turn_1. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It matters. It ma…"
    tool_call: path=tc:turn_1.tc_turn_1.call tool=data.read hint="{'column':'rain'}"
    tool_result: path=tc:turn_1.tc_turn_1.result hint="rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8 rain,12.8…"
    assistant: path=ar:turn_1.assistant.completion.1 hint="The answer of turn_1. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More of it. More …"

    (the whole turn: react.read ar:turn_1.react.turn.index)

    "
  `);
  expect(pathsInRows(short)).toHaveLength(4);
  for (const path of pathsInRows(short)) expect(resolve(viewOf(log), path)?.path).toBe(path);
  expect(text).not.toContain('rain,12.8\nrain,12.8');
});

test('of a turn that is recent but not intact only what is found again goes; the rest of its work stays', () => {
  const log = new LogWriter();
  writeTurn(log, 'turn_1', {
    drafts: (turn, call) => [
      ...called(turn, `${call}_a`, { tool: 'react.memsearch', text: 'a hit, '.repeat(300) }),
      ...called(turn, `${call}_b`, {
        tool: 'react.read',
        input: { paths: ['sk:b.plots'] },
        text: 'draw them so, '.repeat(300),
      }),
      ...called(turn, `${call}_c`, { tool: 'data.read', text: 'worked out, '.repeat(300) }),
    ],
  });
  openTurn(log, 'turn_2');
  const text = pruned(log);
  expect(text).not.toContain(
    'a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit, a hit',
  );
  expect(text).toContain('the text of the skill is pruned');
  expect(text).toContain('worked out, '.repeat(300).trim());
  expect(text).not.toContain('PRUNED TURNS');
  expect(viewOf(log).hidden.size).toBe(2);
});

test('of images the newest two stay, if their sum allows', () => {
  const log = new LogWriter();
  const image =
    (name: string, size: number) =>
    (turn: string): readonly Draft[] => [
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
  writeTurn(log, 'turn_1', {
    drafts: (turn) => [
      ...image('a.png', 600_000)(turn),
      ...image('b.png', 500_000)(turn),
      ...image('c.png', 200_000)(turn),
    ],
  });
  openTurn(log, 'turn_2');
  const text = pruned(log);
  expect(text).not.toContain('<fi:turn_1.user.attachments/a.png>');
  expect(text).toContain('<fi:turn_1.user.attachments/b.png>');
  expect(text).toContain('<fi:turn_1.user.attachments/c.png>');
});

test('a prefix that may still be cached is never touched', () => {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3']) writeTurn(log, turn);
  openTurn(log, 'turn_4');
  const last = Date.parse(log.blocks.findLast(({ type }) => type === 'model.call')?.at ?? '');
  const at = (now: number) => planPrune(viewOf(log), { now, settings });
  expect(at(last + 289_999)).toBeUndefined();
  expect(at(last - 1_000_000)).toBeUndefined();
  expect(at(last + 290_000)?.[0]).toMatchObject({
    type: 'view.prune',
    data: { evidence: { by: 'clock', idle_ms: 290_000 } },
  });
});

test('a provider that was seen to keep its cache longer is believed; one that keeps nothing is, too', () => {
  const log = new LogWriter();
  writeTurn(log, 'turn_1', { usage: { cache_write_tokens: 9_000, cache_read_tokens: 0 } });
  const slow = new LogWriter(
    'conv_test',
    log.blocks.map((block) => ({ ...block, at: minutesEarlier(block.at, 10) })),
  );
  writeTurn(slow, 'turn_2', { usage: { cache_read_tokens: 9_000, cache_write_tokens: 100 } });
  writeTurn(slow, 'turn_3', { usage: { cache_read_tokens: 9_100, cache_write_tokens: 100 } });
  openTurn(slow, 'turn_4');
  expect(planPrune(viewOf(slow), { now: later(slow, 400_000), settings })).toBeUndefined();
  expect(planPrune(viewOf(slow), { now: later(slow, 700_000), settings })).toBeDefined();
  const none = new LogWriter('conv_test', log.blocks);
  writeTurn(none, 'turn_2');
  openTurn(none, 'turn_3');
  expect(planPrune(viewOf(none), { now: later(none, 1_000), settings })?.[0]).toMatchObject({
    data: { evidence: { by: 'reported' } },
  });
});

function minutesEarlier(at: string, minutes: number): string {
  return new Date(Date.parse(at) - minutes * 60_000).toISOString();
}

test('a changed model or system text makes every prefix cold', () => {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3']) writeTurn(log, turn);
  openTurn(log, 'turn_4');
  const drafts = planPrune(viewOf(log), {
    now: later(log, 0),
    settings: { ...settings, changed: true },
  });
  expect(drafts?.[0]).toMatchObject({ data: { evidence: { by: 'changed' } } });
});

test('a prune that saves too little is not written, and one cold moment is used once', () => {
  const log = new LogWriter();
  writeTurn(log, 'turn_1');
  openTurn(log, 'turn_2');
  expect(planPrune(viewOf(log), { now: later(log), settings })).toBeUndefined();
  const long = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3']) writeTurn(long, turn);
  openTurn(long, 'turn_4');
  pruned(long);
  expect(planPrune(viewOf(long), { now: later(long), settings })).toBeUndefined();
});

test('what was hidden and then read is shown in its place again, but only when the cache is cold', () => {
  const log = new LogWriter();
  const path = paths.result('turn_1', 'tc_1');
  writeTurn(log, 'turn_1', {
    drafts: (turn) => [
      ...called(turn, 'tc_1', { tool: 'data.read', text: 'worth keeping' }),
      {
        type: 'view.hide',
        turn,
        author: 'agent',
        data: { path, replacement: 'looked at', cause: 'react.hide' },
      },
      ...called(turn, 'tc_2', {
        tool: 'react.read',
        input: { paths: [path] },
        text: 'worth keeping',
      }),
    ],
  });
  openTurn(log, 'turn_2');
  expect(planPrune(viewOf(log), { now: later(log, 1_000), settings })).toBeUndefined();
  const drafts = planPrune(viewOf(log), { now: later(log), settings });
  expect(drafts?.map(({ type, data }) => [type, data])).toEqual([
    ['view.unhide', { path, cause: 'read' }],
    ['cache.break', { cause: 'unhide', tokens: 0 }],
  ]);
  log.append(...(drafts ?? []));
  expect(viewOf(log).hidden.size).toBe(0);
});

test('nothing of a pruned turn can be hidden: it is not there', () => {
  const log = new LogWriter();
  for (const turn of ['turn_1', 'turn_2', 'turn_3']) writeTurn(log, turn);
  openTurn(log, 'turn_4');
  pruned(log);
  expect(judgeHide(viewOf(log), paths.completion('turn_1', 1)).status).toBe('not_found');
  expect(judgeHide(viewOf(log), paths.completion('turn_3', 1)).status).toBe('ok');
});
