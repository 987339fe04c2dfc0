import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatEvent, Delta } from '../../../../runtime/client/index.ts';
import {
  applyEvent,
  emptyStory,
  isWorking,
  withEarlier,
} from '../../../../runtime/client/story/story.ts';

let cursors = 0;
function event(more: object): ChatEvent {
  cursors += 1;
  const place = {
    cursor: `c${cursors}`,
    seq: 1,
    ts: '',
    conversationId: 'conv_a',
    turnId: 'turn_a',
  };
  return { ...place, event: { agent: 'a', step: '', status: 'update' }, ...more } as ChatEvent;
}

function step(name: string, data: object): ChatEvent {
  return event({ type: 'chat.step', event: { agent: 'a', step: name, status: 'update' }, data });
}

function delta(more: Partial<Delta>): ChatEvent {
  const empty = {
    channel: 'answer',
    instance: 1,
    stream: 's',
    marker: 'answer',
    text: '',
    offset: 0,
    completed: false,
  };
  return event({ type: 'chat.delta', delta: { ...empty, ...more } });
}

const start = event({ type: 'chat.start', data: { text: 'Hi' } });
const storyOf = (...events: readonly ChatEvent[]) =>
  [start, ...events].reduce(applyEvent, emptyStory);
const partsOf = (...events: readonly ChatEvent[]) => storyOf(...events).turns[0]?.parts;

test('a streamed text and a whole text look the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (pieces) => {
      const whole = pieces.join('');
      const finished = step('chat.completion', { stream: 's', text: whole });
      let offset = 0;
      const streamed = pieces.map((text) => {
        const each = delta({ text, offset });
        offset += text.length;
        return each;
      });
      expect(partsOf(...streamed, finished)).toEqual(partsOf(finished));
      expect(partsOf(...streamed)).toEqual([
        { kind: 'answer', key: 's', text: whole, done: false },
      ]);
    }),
  );
});

test('a turn that is loaded later includes its earlier events', () => {
  const finished = step('chat.completion', { stream: 's', text: 'Whole' });
  const ended = event({ type: 'chat.complete', data: { reason: 'completed', text: '' } });
  const status = event({ type: 'conv.status', turnId: 'none', data: { state: 'idle' } });
  const next = event({ ...start, turnId: 'turn_b' });
  const tail = [ended, status, next].reduce(applyEvent, emptyStory);
  expect(tail).toMatchObject({ turns: [{ id: 'turn_b' }], orphans: [ended] });
  const whole = [start, finished, ended, status, next].reduce(applyEvent, emptyStory);
  expect(withEarlier(tail, [start, finished])).toEqual(whole);
});

test('a missing secret is requested once, even if only the result mentions it', () => {
  const secret = { bundle: 'crm', id: 'CRM_KEY', description: 'Key of the CRM' };
  const error = { code: 'secret_required', message: 'not set' };
  const result = (call: string) =>
    event({
      type: 'chat.tool',
      data: { call, tool: 'crm.find', input: {}, state: 'done', result: { ok: false, error } },
    });
  const required = step('secret.required', { ...secret, method: 'PUT', url: '/x' });
  const asked = (...events: readonly ChatEvent[]) =>
    partsOf(...events)?.filter(({ kind }) => kind === 'secret');
  expect(asked(required, result('tc_1'), required, result('tc_2'))).toEqual([
    { kind: 'secret', key: 'secret.crm.CRM_KEY', ...secret },
  ]);
  expect(asked(result('tc_1'), result('tc_2'))).toMatchObject([{ id: '', key: 'secret.tc_1' }]);
});

test('a reset stream disappears, and a restarted one replaces itself', () => {
  const half = delta({ text: 'Half' });
  expect(partsOf(half, step('stream.reset', { stream: 's' }))).toEqual([]);
  expect(partsOf(half, delta({ text: 'Whole', offset: 0 }))).toMatchObject([{ text: 'Whole' }]);
});

test("a program's output and calls are shown with its code", () => {
  const code = (call: string) =>
    step('react.code', { stream: call, text: call, call, language: 'python' });
  const output = step('chat.exec.output', { call: 'tc_1', stream: 'stdout', text: 'one\n' });
  const called = step('chat.exec.call', {
    call: 'tc_1',
    id: 'a',
    tool: 'web.search',
    status: 'started',
  });
  const ended = step('chat.exec.call', { call: 'tc_1', id: 'a', status: 'ok' });
  expect(partsOf(code('tc_1'), code('tc_2'), output, called, ended, called)).toMatchObject([
    { text: 'tc_1', output: 'one\n', calls: { 'web.search': 2 } },
    { text: 'tc_2', output: '', calls: {} },
  ]);
});

// proves: page.tool-selection
test('the choice of tools is one quiet line, and so is each group that the model switches on', () => {
  const selecting = step('tools.selecting', { of: 14 });
  expect(partsOf(selecting)).toMatchObject([{ kind: 'status', text: 'Choosing from 14 tools …' }]);
  const selected = { mode: 'set', tools: ['a.b', 'a.c'], reason: 'selection', of: 14 };
  expect(partsOf(selecting, step('tools.selected', selected))).toMatchObject([
    { kind: 'status', text: 'Chose 2 of 14 tools' },
  ]);
  const failed = { mode: 'set', reason: 'selection_failed', of: 14 };
  expect(partsOf(selecting, step('tools.selected', failed))).toMatchObject([
    { text: 'All tools are used' },
  ]);
  const switched = { mode: 'add', groups: ['maps'], reason: 'react.tools', call: 'tc_1' };
  expect(partsOf(selecting, step('tools.selected', switched))).toMatchObject([
    { kind: 'status' },
    { kind: 'status', text: 'Tools switched on: maps' },
  ]);
});

test('a followup is shown where it was sent, and marked as read when it lands', () => {
  const accepted = step('event.accepted', { kind: 'followup', text: 'And?', message_id: 'm2' });
  const landed = step('event.landed', { event_id: 'm2', seq: 4, turn_id: 'turn_a' });
  expect(partsOf(delta({ text: 'So' }), accepted)).toMatchObject([
    { kind: 'answer' },
    { kind: 'message', state: 'accepted' },
  ]);
  expect(partsOf(accepted, landed)).toMatchObject([{ state: 'seen' }]);
});

test('a turn is working until it ends, and then all its items are done', () => {
  const working = storyOf(delta({ text: 'So' }));
  expect(isWorking(working)).toBe(true);
  const usage = { input_tokens: 3, output_tokens: 2, cost_usd: 0.5 };
  const over = applyEvent(
    working,
    event({ type: 'chat.complete', data: { reason: 'interrupted', text: '', usage } }),
  );
  expect(isWorking(over)).toBe(false);
  expect(over.turns[0]).toMatchObject({
    parts: [{ done: true }],
    end: { reason: 'interrupted', usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.5 } },
  });
});

test('a compaction is one status line, or none if it changed nothing', () => {
  const compaction = (status: string, more: object = {}) =>
    event({
      type: 'chat.compaction',
      event: { agent: 'a', step: 'compaction', status },
      data: { compaction_id: '7', before_tokens: 61_000, after_tokens: 40_000, ...more },
    });
  expect(partsOf(compaction('started'))).toMatchObject([{ kind: 'status' }]);
  const done = partsOf(compaction('started'), compaction('completed'));
  expect(done).toMatchObject([{ kind: 'status' }]);
  expect(JSON.stringify(done)).toContain('61.0 k → 40.0 k');
  expect(partsOf(compaction('started'), compaction('skipped'))).toEqual([]);
});

test('an approval request is shown at its call until it is over, and a recalled message disappears', () => {
  const asked = event({
    type: 'chat.approval',
    data: { request: 'tc_1', call: 'tc_1', tool: 'a.b', title: 'Do it?', input: { n: 1 } },
  });
  const waits = event({
    type: 'chat.tool',
    data: { call: 'tc_1', tool: 'a.b', input: {}, state: 'awaiting_approval' },
  });
  expect(partsOf(waits, asked)).toMatchObject([
    { kind: 'tool', state: 'waiting' },
    { kind: 'approval', title: 'Do it?', outcome: '' },
  ]);
  const spending = event({
    type: 'chat.approval',
    data: { request: 'turn_1_spending_1', kind: 'spending', title: 'Extend it?' },
  });
  expect(partsOf(spending)).toMatchObject([{ asks: 'spending', call: undefined, outcome: '' }]);
  const closed = step('approval.closed', { request: 'tc_1', outcome: 'denied' });
  expect(partsOf(asked, closed)).toMatchObject([{ kind: 'approval', outcome: 'denied' }]);
  const said = step('event.accepted', { kind: 'prompt', message_id: 'm1', text: 'Oh' });
  expect(partsOf(said, step('event.recalled', { event_id: 'm1' }))).toEqual([]);
});
