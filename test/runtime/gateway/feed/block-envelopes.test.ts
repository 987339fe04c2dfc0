import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import { isPublic, toEnvelopes } from '../../../../runtime/gateway/feed/block-envelopes.ts';
import type { TurnContext } from '../../../../runtime/gateway/feed/envelope-body.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { toCallId, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';

const around: TurnContext = {
  agent: 'main',
  call: (id) => (id === 'tc_1' ? { tool: 'web.search', input: { q: 'x' } } : undefined),
  landed: new Set(['m_seen']),
  cited: [{ sid: 1, title: 'A', url: 'https://a.example', text: 'long' }],
  resource: () => undefined,
  usage: () => ({ input_tokens: 5 }),
  linked: (text) => text.replace('[[S:1]]', '[A](https://a.example)'),
};

function block(type: string, more: Partial<Block> = {}): Block {
  const place = {
    conversation: 'conv_a',
    seq: toSeq(7),
    turn: toTurnId('turn_a'),
    at: '2026-01-01T00:00:00.000Z',
  };
  return { ...place, type, author: 'agent', meta: {}, ...more };
}

function data(type: string, more: Partial<Block>): JsonObject | undefined {
  return toEnvelopes(block(type, more), around)[0]?.data;
}

// proves: protocol.choice
test('the beginning of a round says how its reply is written, if not in channels', () => {
  const opened = { round: 2, phase: 'decision', as_of: 4 };
  expect(data('round.open', { data: { ...opened, protocol: 'json' } })).toEqual({
    ...{ round: 2, phase: 'decision', protocol: 'json' },
  });
  expect(data('round.open', { data: opened })).toEqual({ round: 2, phase: 'decision' });
});

test.each([
  'model.call',
  'react.note',
  'react.notice',
  'react.plan.ack',
  'conv.working.summary',
  'view.hide',
  'workspace.pull',
  'something.later',
  'toString',
])('%s is not sent to clients', (type) => {
  expect(toEnvelopes(block(type, { text: 'inside' }), around)).toEqual([]);
  expect(isPublic(block(type))).toBe(false);
});

// proves: selection.wire
test('a choice or a switch of tools is sent without the texts that describe them', () => {
  const change = { agent: 'b/main', mode: 'set', reason: 'selection', of: 13 };
  const [sent] = toEnvelopes(
    block('tools.visibility', {
      text: '### own.t',
      data: { ...change, tools: ['own.t'], described: ['own.t'] },
    }),
    around,
  );
  expect(sent?.type).toBe('tools.selected');
  expect(sent?.data).toEqual({ mode: 'set', reason: 'selection', of: 13, tools: ['own.t'] });
});

// proves: exec.killed
test('a doubt is the only notice that is sent', () => {
  const calls = [{ id: '7', tool: 'bank.post', effects: 'unkeyed' }];
  const notice = {
    call: toCallId('tc_a'),
    text: 'In doubt: …',
    data: { code: 'in_doubt', calls, total: 1 },
  };
  expect(data('react.notice', notice)).toEqual({
    call: toCallId('tc_a'),
    text: 'In doubt: …',
    calls,
    total: 1,
  });
  expect(data('react.notice', { ...notice, data: { code: 'input_changed' } })).toBeUndefined();
});

test('an answer is sent with links, as raw text, and with follow-up questions', () => {
  const answer = {
    text: 'So [[S:1]].',
    data: { n: 1, degraded: false, stream: 's', followups: ['And?'] },
  };
  const [said, next] = toEnvelopes(block('assistant.completion', answer), around);
  expect(said).toMatchObject({
    type: 'chat.completion',
    data: { text: 'So [A](https://a.example).', raw: 'So [[S:1]].', stream: 's' },
  });
  expect(next).toMatchObject({ type: 'chat.followups', data: { items: ['And?'] } });
});

test('a turn ends with exactly one terminal envelope, then the conversation is idle', () => {
  const closed = { reason: 'completed', text: '[[S:1]]', files: [], usage: {} };
  const done = toEnvelopes(block('turn.close', { data: closed }), around);
  expect(done.map(({ type }) => type)).toEqual(['chat.complete', 'conv.status']);
  expect(done[0]?.data).toMatchObject({
    text: '[[S:1]]',
    sources: [{ sid: 1, title: 'A', url: 'https://a.example' }],
  });
  const failed = toEnvelopes(
    block('turn.close', { data: { ...closed, reason: 'failed' } }),
    around,
  );
  expect(failed.map(({ type }) => type)).toEqual(['chat.error', 'conv.status']);
  expect(failed[0]?.data).toMatchObject({ code: 'turn_failed' });
});

test('a result has its tool and input, and a large one is sent as a preview', () => {
  const small = data('react.tool.result', {
    call: toCallId('tc_1'),
    data: { ok: true, ret: { n: 1 } },
  });
  expect(small).toEqual({
    call: toCallId('tc_1'),
    tool: 'web.search',
    input: { q: 'x' },
    state: 'done',
    result: { ok: true, ret: { n: 1 } },
  });
  const large = data('react.tool.result', {
    call: toCallId('tc_1'),
    data: { ok: true, ret: 'x'.repeat(20_000) },
  });
  expect(large?.['result']).toMatchObject({ ret: { truncated: true, chars: 20_002 } });
  expect(JSON.stringify(large).length).toBeLessThan(4_000);
  const rows = [{ n: 1 }, { n: 2 }];
  const cut = `[13,000 characters; the beginning follows]\nshape: [2 × { n: number }]\n${JSON.stringify(rows)}\n[cut here. Go on with react.read, paths: ["tc:a"]: it shows as much as fits and how to read on]`;
  for (const text of [cut, JSON.stringify(rows)]) {
    const stored = { ok: true, ret_size: 13_000, shape: '[2 × { n: number }]' };
    expect(
      data('react.tool.result', { call: toCallId('tc_1'), text, data: stored })?.['result'],
    ).toEqual({ ...stored, ret: { truncated: true, chars: 13_000, preview: '[{"n":1},{"n":2}]' } });
  }
});

test('internal files are not sent, external ones are', () => {
  const file = { path: toBlockPath('fi:turn_a.outputs/a.csv'), mime: 'text/csv' };
  const facts = { filename: 'a.csv', size: 3 };
  expect(
    data('artifact.file', { ...file, data: { ...facts, visibility: 'internal' } }),
  ).toBeUndefined();
  expect(data('artifact.file', { ...file, data: { ...facts, visibility: 'external' } })).toEqual({
    items: [{ ...file, ...facts, visibility: 'external' }],
  });
});

test('a text file is sent with its beginning', () => {
  const data = { filename: 'a.csv', size: 3, visibility: 'external' };
  const path = 'fi:turn_a.outputs/a.csv';
  const [said] = toEnvelopes(
    block('artifact.file', { path: toBlockPath(path), mime: 'text/csv', text: '1,2', data }),
    around,
  );
  expect(said?.data).toMatchObject({ items: [{ path, preview: '1,2' }] });
});

test('a compaction is reported at its start and its end, under one id', () => {
  const common = { cause: 'limit', forced: false, room: 60_000, max_tokens: 80_000 };
  const begun = toEnvelopes(block('compact.open', { data: { ...common, tokens: 61_000 } }), around);
  expect(begun).toMatchObject([
    {
      type: 'chat.compaction',
      event: { status: 'started' },
      data: { compaction_id: '7', trigger_reason: 'limit', before_tokens: 61_000 },
    },
  ]);
  const counts = { tokens_before: 61_000, tokens_after: 40_000, turns: 9, rounds: 0 };
  const closed = { ...common, of: 7, status: 'completed', kind: 'history', ...counts };
  const ended = toEnvelopes(block('compact.close', { seq: toSeq(12), data: closed }), around);
  expect(ended).toMatchObject([
    {
      type: 'chat.compaction',
      event: { status: 'completed' },
      data: { compaction_id: '7', after_tokens: 40_000, compacted_turns: 9, kind: 'history' },
    },
  ]);
  const skipped = { of: 7, status: 'skipped', reason: 'no_token_reduction' };
  expect(toEnvelopes(block('compact.close', { data: skipped }), around)).toMatchObject([
    { event: { status: 'skipped' }, data: { reason: 'no_token_reduction' } },
  ]);
});

test('a waiting call reports its state, asks, and runs once it is allowed', () => {
  const data = {
    request: 'tc_1',
    call: toCallId('tc_1'),
    tool: 'web.search',
    title: 'Search?',
    input: {},
  };
  const types = (type: string, more: object) =>
    toEnvelopes(block(type, { call: toCallId('tc_1'), ...more }), around).map(
      (said) => `${said.type} ${said.data['state'] ?? said.data['outcome'] ?? ''}`,
    );
  const intent = { tool: 'web.search', input: {}, waits: 'approval' };
  expect(types('react.tool.call', { data: intent })).toEqual(['chat.tool awaiting_approval']);
  expect(types('approval.request', { data })).toEqual(['chat.approval ']);
  expect(types('approval.decision', { data: { request: 'tc_1', allow: true } })).toEqual([]);
  const closed = (outcome: string) => types('approval.close', { data: { ...data, outcome } });
  expect(closed('denied')).toEqual(['approval.closed denied']);
  expect(closed('allowed')).toEqual(['approval.closed allowed', 'chat.tool running']);
});

test('a question of a turn has neither a call nor a tool, and nothing runs after it', () => {
  const asked = { request: 'turn_1_spending_1', kind: 'spending', title: 'Extend it?' };
  const [question] = toEnvelopes(block('approval.request', { data: asked }), around);
  expect(question).toMatchObject({ type: 'chat.approval', event: { step: 'spending' } });
  expect(question?.data).toEqual(asked);
  const data = { request: asked.request, kind: 'spending', outcome: 'allowed', remember: 'once' };
  const closed = toEnvelopes(block('approval.close', { data }), around);
  expect(closed).toMatchObject([{ type: 'approval.closed', data }]);
});

test('a call for a client is sent with its whole input, its result is not sent', () => {
  const whole = { text: 'x'.repeat(20_000) };
  const asked = {
    call: toCallId('tc_1'),
    tool: 'a.b',
    input: whole,
    deadline: '2026-01-01T00:00:00.000Z',
  };
  const said = toEnvelopes(block('external.call', { call: toCallId('tc_1'), data: asked }), around);
  expect(said.map(({ type }) => type)).toEqual(['chat.tool', 'external.call']);
  expect(said[1]?.data).toEqual({ ...asked, usage: { input_tokens: 5 } });
  expect(
    toEnvelopes(block('external.result', { data: { call: toCallId('tc_1'), ok: true } }), around),
  ).toEqual([]);
});

test('a recalled event is reported, unless it had been read', () => {
  const recall = (event_id: string) =>
    toEnvelopes(block('external.recall', { author: 'user', data: { event_id } }), around);
  expect(recall('m_1').map(({ type }) => type)).toEqual(['event.recalled']);
  expect(recall('m_seen')).toEqual([]);
});
