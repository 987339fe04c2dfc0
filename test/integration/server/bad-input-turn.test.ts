import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { verify } from '../../../runtime/timeline/verify/verify.ts';
import { type Desk, type End, openDesk, type Scripts, takeTurn } from './bad-input-desk.ts';

// proves: bad.unknown-tool, bad.broken-decision, bad.code-without-exec, engine.violations, engine.degraded, tools.validation, i4.pairs

const tag = (name: string, text: string) => `<channel:${name}>${text}</channel:${name}>`;
const decision = (text: string) => ({ raw: tag('ReactDecisionOutV2', text) });
/** Waits for what the model must read, so that a turn that omits it fails. */
const after = (when: string) => ({ when, answer: 'Mended.' });
const garbage = { raw: 'I think I will just talk.' };
const talk = ['react.notice protocol_violation.decision_missing_protocol_channels'];
const program = { tool: 'exec_tools.execute_code_python' };

type Case = {
  readonly replies: readonly object[];
  /** Type and code of what the log keeps of it. */
  readonly keeps: readonly string[];
  readonly says: RegExp;
  /** The answer, or the code of the error that ends the turn. */
  readonly ends?: string;
};

const cases = {
  'a tool that does not exist': {
    replies: [{ call: { tool: 'stock.guess', input: {} } }, after('tool_not_found')],
    keeps: ['react.tool.result tool_not_found'],
    says: /There is no tool “stock.guess” here\. Use an id of # Tools/,
  },
  'parameters that are missing or wrong': {
    replies: [
      { call: { tool: 'stock.count', input: { shelf: { row: 'x' } } } },
      after('shelf.row'),
    ],
    keeps: ['react.tool.result invalid_input'],
    says: /item: .*; shelf\.row: /,
  },
  'a parameter that the tool does not know': {
    replies: [
      { call: { tool: 'stock.count', input: { shelf: { row: 1 }, items: 3 } } },
      after('unknown parameter'),
    ],
    keeps: ['react.tool.result invalid_input'],
    says: /item: .*; items: unknown parameter; did you mean item\?/,
  },
  'a number that would lose digits': {
    replies: [
      decision(
        '{"action":"call_tool","tool_call":{"tool_id":"stock.count","params":{"item":12345678901234567890}}}',
      ),
      after('action_schema_error'),
    ],
    keeps: ['react.notice protocol_violation.action_schema_error'],
    says: /tool_call\.params\.item is 12345678901234567890, .*as text, in quotes/,
  },
  'a decision that is not JSON': {
    replies: [
      decision('{"action": "complete", "final_answer": oops}'),
      after('action_schema_error'),
    ],
    keeps: ['react.notice protocol_violation.action_schema_error'],
    says: /a value was expected near “.*"final_answer": o/,
  },
  'a decision that breaks off': {
    replies: [
      { raw: '<channel:decision>{"action":"call_tool","tool_call":{"tool_id":"stock.count","para' },
      after('truncated_action'),
    ],
    keeps: ['react.notice protocol_violation.truncated_action'],
    says: /after “.*"stock\.count","para”.*Write it again, whole/,
  },
  'an action that does not exist': {
    replies: [decision('{"action": "dance"}'), after('invalid_action')],
    keeps: ['react.notice protocol_violation.invalid_action'],
    says: /no action "dance", so nothing was done\. Use call_tool, complete or exit/,
  },
  'a call without the name of its tool': {
    replies: [
      decision('{"action": "call_tool", "tool_call": {"params": {}}}'),
      after('missing_tool_id'),
    ],
    keeps: ['react.notice protocol_violation.missing_tool_id'],
    says: /with the id of a tool in # Tools/,
  },
  'no decision at all': {
    replies: [garbage, after('decision_missing_protocol_channels')],
    keeps: talk,
    says: /was plain text without <channel:…> tags \(“I think I will just talk\.”\)/,
  },
  'code without an action that runs it': {
    replies: [
      {
        raw: `${tag('code', 'print(1)')}\n${decision('{"action":"complete","final_answer":"Done."}').raw}`,
      },
      after('never asked'),
    ],
    keeps: ['react.notice protocol_violation.code_channel_without_single_exec'],
    says: /the program was not run\. Call the exec tool, then write the code directly behind it/,
    ends: 'Done.',
  },
  'an action that runs code, without the code': {
    replies: [
      decision(
        '{"action":"call_tool","tool_call":{"tool_id":"exec_tools.execute_code_python","params":{}}}',
      ),
      after('missing_code'),
    ],
    keeps: ['react.notice protocol_violation.missing_code'],
    says: /came without its program and was not called/,
  },
  'a program where none can run': {
    replies: [{ code: 'print(1)', call: program }, after('exec_unavailable')],
    keeps: ['react.tool.result exec_unavailable'],
    says: /switched off in this installation \(TIMELOOM_EXEC_MODE=off\)/,
  },
  'keys named like what every object has': {
    replies: [
      decision(
        '{"constructor":"x","__proto__":{},"toString":1,"action":"complete","final_answer":"Fine."}',
      ),
    ],
    keeps: [],
    says: /^$/,
    ends: 'Fine.',
  },
  'nothing but talk, again and again': {
    replies: [garbage, garbage],
    keeps: talk,
    says: /was plain text/,
    ends: 'I think I will just talk.',
  },
  'a model that has nothing to say': {
    replies: [{ when: 'never asked', answer: 'Never.' }],
    keeps: [],
    says: /^$/,
    ends: 'SCRIPT_MISMATCH',
  },
} satisfies Record<string, Case>;

const agentOf = (index: number) => `case-${index}`;
const ends = new Map<string, End>();
const logs = new Map<string, readonly Block[]>();
let desk: Desk;
beforeAll(async () => {
  const list: readonly Case[] = Object.values(cases);
  const scripts: Scripts = Object.fromEntries(
    list.map(({ replies }, at) => [agentOf(at), replies]),
  );
  desk = await openDesk(scripts);
  for (const agent of Object.keys(scripts)) {
    const socket = await desk.connect({ user: agent });
    const place = { conversation_id: `conv_${agent}`, agent_id: agent };
    ends.set(agent, await takeTurn(socket, place));
    expect(await desk.answer()).toBe('All is well.');
  }
  await desk.stop();
  await readLogs();
});
afterAll(() => desk[Symbol.asyncDispose]());

async function readLogs(): Promise<void> {
  await using store = await openPgliteTimelineStore({ dir: join(desk.dataDir, 'timeline') });
  const { signal } = new AbortController();
  for (const agent of ends.keys()) {
    const row = await store.find({ tenant: 'dev', project: 'dev' }, `conv_${agent}`, { signal });
    logs.set(
      agent,
      await store.read(toConversationKey(row?.key ?? 0), { after: toSeq(0), limit: 1_000, signal }),
    );
  }
}

/** What was wrong, as the log keeps it. */
function kept(agent: string): readonly { what: string; text: string }[] {
  const log = logs.get(agent) ?? [];
  return log.flatMap(({ type, data, text = '' }) => {
    const { code, error } = data as { code?: string; error?: { code: string } };
    const wrong = error?.code ?? code;
    const isOne = type === 'react.tool.result' || type === 'react.notice';
    return isOne && wrong !== undefined ? [{ what: `${type} ${wrong}`, text }] : [];
  });
}

for (const [index, [what, one]] of Object.entries(cases).entries()) {
  const { keeps, says, ends: wanted = 'Mended.' }: Case = one;
  test(`${what}: it is recorded, the model reads it, and the turn ends`, () => {
    const agent = agentOf(index);
    const found = kept(agent);
    expect(found.map((each) => each.what)).toEqual(keeps);
    expect(found.map(({ text }) => text).join('\n')).toMatch(says);
    const { data, type } = ends.get(agent) ?? { type: 'nothing', data: {} };
    expect(type === 'chat.complete' ? data.text : data.error?.code).toBe(wanted);
    expect(verify(logs.get(agent) ?? [])).toEqual([]);
  });
}

test('an answer that had to be rescued says so', () => {
  const degraded = [...ends.values()].filter(({ data }) => data.degraded === true);
  expect(degraded.map(({ data }) => data.text)).toEqual(['I think I will just talk.']);
});
