import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { contentOf, roleOf } from '../../../../runtime/timeline/render/parts.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import type { ReplyForm } from '../../../../runtime/timeline/render/replies/write-reply.ts';
import { LogWriter } from '../logs/log-writer.ts';
import {
  agent,
  call,
  called,
  done,
  opened,
  result,
  round,
  system,
  turn,
  user,
} from './one-turn.ts';

// proves: prompt.own-replies, prompt.carry

const blob = { hash: 'sha256:carry', size: 400 };
const thinking: Draft = { ...agent, type: 'react.thinking', text: 'I look it up.' };
const modelCall: Draft = {
  ...system,
  type: 'model.call',
  data: { model: 'm', carry: { family: 'anthropic:claude', blob } },
};
const notes: Draft = { ...agent, type: 'react.notes', call: toCallId('tc_1'), text: 'Looking' };
const answer: Draft = {
  ...agent,
  type: 'assistant.completion',
  path: paths.completion(turn, 1),
  text: 'Wet: "3 mm".',
  data: { n: 1, followups: ['And snow?'] },
};
const summary: Draft = {
  ...agent,
  type: 'conv.working.summary',
  path: paths.summary(turn, 1),
  text: 'Goal: rain.',
};
const oneCall = [...opened, round, thinking, notes, modelCall, call, result, done];
const second: Draft = { ...system, type: 'round.open', data: { round: 2, as_of: 9 } };
const answered: Draft = {
  ...system,
  type: 'round.close',
  data: { round: 2, outcome: 'answered' },
};
const wholeTurn = [...oneCall, second, answer, summary, answered];

/** Messages as the role and the texts of their parts. */
function messages(
  drafts: readonly Draft[],
  form: { readonly protocol?: ReplyForm; readonly family?: string } = {},
): readonly (readonly [string, ...string[]])[] {
  const log = new LogWriter();
  log.append(...drafts);
  const view = foldAll(emptyView, log.blocks);
  const { parts } = render(view, {
    asOf: view.head,
    announce: 'ANNOUNCE',
    as: 'messages',
    ...form,
  });
  const found: [string, ...string[]][] = [];
  for (const part of parts) {
    const text = part.kind === 'text' || part.kind === 'result' ? part.text : contentOf(part);
    if (found.at(-1)?.[0] === roleOf(part)) found.at(-1)?.push(text);
    else found.push([roleOf(part), text]);
  }
  return found;
}

test('the model sees its own replies in the channels that it must write, and results as messages of the user', () => {
  const [, reply, after, last, end] = messages(wholeTurn);
  expect(reply).toEqual([
    'assistant',
    '<channel:thinking>I look it up.</channel:thinking>\n' +
      '<channel:ReactDecisionOutV2>{"action":"call_tool","notes":"Looking","tool_call":{"tool_id":"weather.query","params":{"city":"Seattle"}}}</channel:ReactDecisionOutV2>',
  ]);
  expect(after).toEqual([
    'user',
    '[ROUND 1]\n\n[TOOL RESULT c1] ok | tc:t1.c1.result\nrain 3 mm\n\n',
  ]);
  expect(last).toEqual([
    'assistant',
    '<channel:ReactDecisionOutV2>{"action":"complete","final_answer":"Wet: \\"3 mm\\".","suggested_followups":["And snow?"]}</channel:ReactDecisionOutV2>\n' +
      '<channel:summary>Goal: rain.</channel:summary>',
  ]);
  expect(end).toEqual(['user', '[ROUND 2]\n\n', 'ANNOUNCE']);
});

test('native tools: calls and results are parts of their own, in pairs, with the answer as plain text', () => {
  const [, reply, after, last] = messages(wholeTurn, { protocol: 'native-tools' });
  expect(reply).toEqual([
    'assistant',
    '<channel:thinking>I look it up.</channel:thinking>\n\n<channel:notes>Looking</channel:notes>',
    '["tc_1","weather.query",{"city":"Seattle"}]',
  ]);
  expect(after).toEqual(['user', '[TOOL RESULT c1] ok | tc:t1.c1.result\nrain 3 mm\n\n']);
  expect(last).toEqual([
    'assistant',
    'Wet: "3 mm".\n\n<channel:followups>And snow?</channel:followups>\n\n<channel:summary>Goal: rain.</channel:summary>',
  ]);
});

test('json: a reply is one decision object, with a program in its parameters', () => {
  const code: Draft = {
    ...agent,
    type: 'react.code',
    call: toCallId('tc_1'),
    path: paths.code(turn, toCallId('tc_1')),
    text: 'print(1)',
    data: { language: 'python' },
  };
  const [, reply] = messages([...opened, round, thinking, notes, code, call, result, done], {
    protocol: 'json',
  });
  expect(reply?.slice(1).map((text) => JSON.parse(text))).toEqual([
    {
      thinking: 'I look it up.',
      action: 'call_tool',
      notes: 'Looking',
      tool_call: { tool_id: 'weather.query', params: { city: 'Seattle', code: 'print(1)' } },
    },
  ]);
});

test('reasoning goes back before its reply, only to models of its family, and never alone', () => {
  const form = { protocol: 'native-tools', family: 'anthropic:claude' } as const;
  expect(messages(oneCall, form)[1]?.[1]).toBe(blob.hash);
  expect(JSON.stringify(messages(oneCall, { ...form, family: 'openai:gpt' }))).not.toContain(
    blob.hash,
  );
  const reasoning = { ...thinking, data: { reasoning: true } };
  const nothingSaid = [...opened, round, reasoning, modelCall, done];
  expect(JSON.stringify(messages(nothingSaid, form))).not.toContain(blob.hash);
  const thought = [...opened, round, thinking, modelCall, done];
  expect(JSON.stringify(messages(thought, form))).not.toContain(blob.hash);
});

const violation: Draft = {
  ...system,
  type: 'react.notice',
  path: paths.notice(turn, 1),
  text: 'Your reply held thinking only.',
  data: { code: 'protocol_violation.decision_missing_protocol_channels' },
};
const closedWith = (data: JsonObject): Draft => ({ ...done, data: { round: 1, ...data } });

test.each(['channels', 'native-tools', 'json'] as const)(
  'in %s a reply that decided nothing is shown as in the log, not as a message of the model',
  (protocol) => {
    const end = closedWith({ outcome: 'violation' });
    const [only] = messages([...opened, round, thinking, modelCall, violation, end], { protocol });
    expect(only?.[0]).toBe('user');
    const text = only?.slice(1).join('') ?? '';
    expect(text).toContain('[ROUND 1] violation\n');
    expect(text).toContain('[THINKING]\nI look it up.');
    expect(text).toContain('Your reply held thinking only.');
  },
);

test.each([
  [{}, {}, 'because the server stopped'],
  [{ cause: 'hand_over' }, {}, 'because the server stopped'],
  [{ cause: 'model_broke_off' }, {}, 'because your reply broke off on its way'],
  [{}, { finish: 'interrupted' }, 'by a message of the user'],
  [{ by: 'the user' }, { finish: 'stop' }, 'by the user'],
  [{ by: 'the system, which gave up,' }, { finish: 'stop' }, 'by the system, which gave up'],
] as const)(
  'a round closed with %j after a reply with %j was interrupted %s',
  (end, reply, why) => {
    const said =
      Object.keys(reply).length === 0 ? [] : [{ ...modelCall, data: { model: 'm', ...reply } }];
    const close = closedWith({ outcome: 'interrupted', ...end });
    const [only] = messages([...opened, round, thinking, ...said, close], {});
    expect(only?.slice(1).join('')).toContain(
      `[ROUND 1] interrupted ${why}; nothing of this reply ran\n`,
    );
  },
);

test('a round that was interrupted before anything was written does not speak of a reply', () => {
  const cut = { ...modelCall, data: { model: 'm', finish: 'interrupted' } };
  const log = [...opened, round, cut, closedWith({ outcome: 'interrupted' })];
  const [only] = messages(log, {});
  expect(only?.slice(1).join('')).toContain(
    '[ROUND 1] interrupted by a message of the user before you replied\n',
  );
});

test('a hidden call stays a call, with an object as its input', () => {
  const hide: Draft = {
    ...system,
    type: 'view.hide',
    data: { path: paths.call(turn, toCallId('tc_1')), replacement: 'not needed', cause: 'agent' },
  };
  const native = messages([...oneCall, hide], { protocol: 'native-tools' });
  expect(native[1]?.at(-1)).toBe('["tc_1","weather.query",{"…":"not needed"}]');
  expect(messages([...oneCall, hide])[1]?.[1]).toContain('"params":{"…":"not needed"}');
});

test('images of results follow all results, below a line that names them', () => {
  const image = { path: 'fi:turn_1.outputs/a.png', mime: 'image/png', blob, tokens: 100 };
  const shown = { ...result, data: { ok: true, attached: [image] } };
  const [, , after] = messages([...opened, round, call, shown, done], { protocol: 'native-tools' });
  expect(after?.slice(2)).toEqual(['Attached: fi:t1.outputs/a.png\n\n', blob.hash, 'ANNOUNCE']);
});

test('a round of eight calls has at most 19 parts, so that a provider finds the entry of the request before it', () => {
  const calls = Array.from({ length: 8 }, (_, n) => {
    const id = toCallId(`tc_${n}`);
    return [
      { ...notes, call: id },
      { ...call, call: id, path: paths.call(turn, id) },
      { ...result, call: id, path: paths.result(turn, id) },
    ];
  });
  const notice: Draft = {
    ...system,
    type: 'react.notice',
    path: paths.notice(turn, 1),
    text: 'mind this',
    data: { code: 'not_executed' },
  };
  const drafts = [...opened, round, thinking, modelCall, ...calls.flat(), notice, done];
  const form = { protocol: 'native-tools', family: 'anthropic:claude' } as const;
  const [, reply = [], after = []] = messages(drafts, form);
  expect(reply.slice(1)).toHaveLength(10);
  expect(after.slice(1, -1)).toHaveLength(9);
});

test('a note that the model made with react.write stands in its parameters, in full', () => {
  const content = `long ${'word '.repeat(600)}`.trim();
  const write: Draft = {
    ...call,
    data: { tool: 'react.write', input: { content, scratchpad: true } },
  };
  const note: Draft = { ...called, author: 'agent', type: 'react.note', path: paths.note(turn, 1) };
  const drafts = [...opened, round, write, { ...note, text: content }, result, done];
  expect(messages(drafts)[1]?.[1]).toContain(content);
  expect(JSON.stringify(messages(drafts).slice(2))).not.toContain('word word');
});

test('an answer that the runtime wrote between rounds is a reply too, and what arrived late follows it', () => {
  const late: Draft = {
    ...user,
    type: 'external.followup',
    path: paths.external(turn, 'followup', 'm1'),
    text: 'And now?',
  };
  const [, , , loose, end] = messages([...oneCall, answer, late]);
  expect(loose?.[1]).toMatch(/^<channel:ReactDecisionOutV2>\{"action":"complete"/);
  expect(end?.[1]).toMatch(/^\[FOLLOWUP DURING TURN\]/);
});
