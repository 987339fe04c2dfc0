import { expect, test } from 'vitest';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { changePlan } from '../../../../runtime/timeline/plans/plans.ts';
import { resolve } from '../../../../runtime/timeline/resolve/resolve.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import { LogWriter } from '../logs/log-writer.ts';

const turn = toTurnId('turn_1');
const blob = { hash: 'sha256:ab', size: 9 };

function conversation(): View {
  const log = new LogWriter();
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'Why?' },
    {
      type: 'user.attachment',
      turn,
      author: 'user',
      path: paths.attachment(turn, 'a.csv'),
      mime: 'text/csv',
      blob,
      text: 'a,b',
      data: { filename: 'a.csv', size: 9 },
    },
    { type: 'round.open', turn, author: 'system', data: { round: 1, as_of: 3 } },
    {
      type: 'react.tool.call',
      turn,
      author: 'agent',
      call: toCallId('tc_1'),
      path: paths.call(turn, toCallId('tc_1')),
      data: { tool: 'web.search', input: { q: 'rain' } },
    },
    {
      type: 'source.row',
      turn,
      author: 'tool',
      path: paths.source(1),
      data: { sid: 1, title: 'One', url: 'https://a.test/1', text: 'first' },
    },
    {
      type: 'source.row',
      turn,
      author: 'tool',
      path: paths.source(3),
      data: { sid: 3, title: 'Three', url: 'https://a.test/3' },
    },
    {
      type: 'artifact.file',
      turn,
      author: 'tool',
      path: paths.file(turn, 'outputs/r.txt'),
      mime: 'text/plain',
      text: 'old',
      data: { filename: 'r.txt', size: 3 },
    },
    {
      type: 'artifact.file',
      turn,
      author: 'tool',
      path: paths.file(turn, 'outputs/r.txt'),
      mime: 'text/plain',
      text: 'new',
      data: { filename: 'r.txt', size: 3 },
    },
    {
      type: 'react.tool.result',
      turn,
      author: 'tool',
      call: toCallId('tc_1'),
      path: paths.result(turn, toCallId('tc_1')),
      text: 'two pages',
      data: { ok: true, ret: { pages: 2 } },
    },
    {
      type: 'assistant.completion',
      turn,
      author: 'agent',
      path: paths.completion(turn, 1),
      text: 'first answer',
      data: { n: 1 },
    },
    {
      type: 'conv.working.summary',
      turn,
      author: 'agent',
      path: paths.summary(turn, 1),
      text: 'first summary',
    },
    {
      type: 'assistant.completion',
      turn,
      author: 'agent',
      path: paths.completion(turn, 2),
      text: 'second answer',
      data: { n: 2 },
    },
    {
      type: 'conv.working.summary',
      turn,
      author: 'agent',
      path: paths.summary(turn, 2),
      text: 'second summary',
    },
  );
  const plan = changePlan(
    foldAll(emptyView, log.blocks),
    { mode: 'new', steps: ['look'] },
    { turn, call: toCallId('tc_2'), now: '2026-01-01T00:00:00.000Z' },
  );
  if (plan.ok) log.append(...plan.drafts);
  return foldAll(emptyView, log.blocks);
}

const view = conversation();
const plan = view.plans[0]?.plan_id ?? '';

test.each([
  ['ar:turn_1.user.prompt', 'Why?'],
  ['conv:ar:turn_1.user.prompt', 'Why?'],
  ['ar:conv_test.turn_1.user.prompt', 'Why?'],
  ['ar:turn_1.assistant.completion.1', 'first answer'],
  ['ar:turn_1.assistant.completion', 'second answer'],
  ['ws:turn_1.conv.working.summary', 'second summary'],
  ['ws:turn_1.conv.working.summary.attempt.1', 'first summary'],
  ['fi:turn_1.outputs/r.txt', 'new'],
  ['tc:turn_1.tc_1.call', '{\n  "tool": "web.search",\n  "input": {\n    "q": "rain"\n  }\n}'],
  ['tc:turn_1.tc_1.result', '{\n  "pages": 2\n}'],
  [`ar:plan.latest:${plan}`, '□ [1] look\n'],
])('%s is read', (path, text) => {
  expect(resolve(view, path)?.text).toBe(text);
});

test('an alias resolves to the path that it stands for', () => {
  expect(resolve(view, 'ar:turn_1.assistant.completion')?.path).toBe(
    'ar:turn_1.assistant.completion.2',
  );
});

test('a file resolves to its bytes and the beginning of its text', () => {
  expect(resolve(view, 'fi:turn_1.user.attachments/a.csv')).toMatchObject({
    mime: 'text/csv',
    blob,
    text: 'a,b',
  });
});

test('sources are in the requested order, without missing ones', () => {
  const found = resolve(view, 'so:sources_pool[3,1-2]');
  expect(found).toMatchObject({ path: 'so:sources_pool[3,1]', data: [{ sid: 3 }, { sid: 1 }] });
  expect(found?.text).toBe('[3] Three\nhttps://a.test/3\n\n[1] One\nhttps://a.test/1\nfirst\n');
});

test('the index of a turn names every readable item', () => {
  const text = resolve(view, 'ar:turn_1.react.turn.index')?.text ?? '';
  expect(text).toContain('TURN INDEX t1 (open)');
  const named = [...text.matchAll(/^- (\S+)/gm)].map(([, path = '']) => path);
  expect(named).toHaveLength(9);
  for (const path of named) expect(resolve(view, path)).toBeDefined();
});

// proves: compact.needles
test('the index of a turn shows the input of a call and what was said beside it, but nothing hidden', () => {
  const log = new LogWriter();
  const call = toCallId('tc_1');
  const [asked, answered] = [paths.call(turn, call), paths.result(turn, call)];
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'round.open', turn, author: 'system', data: { round: 1, as_of: 1 } },
    { type: 'react.notes', turn, author: 'agent', text: 'It is decided: red.', data: {} },
    {
      ...{ type: 'react.tool.call', turn, author: 'agent', call, path: asked },
      data: { tool: 'town.look', input: { lamp: 'nine' } },
    },
    {
      ...{ type: 'react.tool.result', turn, author: 'tool', call, path: answered },
      ...{ text: 'It is lit.', data: { ok: true } },
    },
  );
  const index = () => resolve(foldAll(emptyView, log.blocks), paths.turnIndex(turn))?.text;
  expect(index()).toContain('- tc:t1.c1.result town.look {"lamp":"nine"} (ok) It is lit.\n');
  expect(index()).toContain('## said beside the calls\nround 1: It is decided: red.\n');
  for (const path of [asked, answered]) {
    const data = { path, replacement: '[forgotten]', cause: 'forget' };
    log.append({ type: 'view.hide', turn, author: 'system', data });
  }
  expect(index()).toContain('- tc:t1.c1.result town.look [forgotten] (ok) [forgotten]\n');
});

test.each([
  'ar:turn_2.user.prompt',
  'ar:conv_other.turn_1.user.prompt',
  'tc:turn_1.tc_9.result',
  'so:sources_pool[2]',
  'ar:plan.latest:plan:none',
  'sk:some.skill',
  'nonsense',
])('%s does not resolve', (path) => {
  expect(resolve(view, path)).toBeUndefined();
});
