import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { missingTool } from '../../../../runtime/engine/perform/call/call-refusal.ts';
import type { Model } from '../../../../runtime/engine/ports/model.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { add, openHarness } from '../kit/harness.ts';

const locate = createTool({
  id: 'browser.locate',
  description: 'Where the user is.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({ exact: z.boolean().default(false) }),
  run: async () => ({ result: { ok: true, ret: 'Lisbon' } }),
});
const browser = {
  id: 'browser',
  description: 'Act in the browser.',
  tools: ['browser.locate'],
  active: false,
};
const agent = {
  tools: [add, locate, ...controlTools],
  groups: [browser],
} satisfies Partial<AgentSettings>;

const locateCall = { call: { tool: 'browser.locate' } };
const switchOn = { call: { tool: 'react.tools', input: { add: ['browser'] } } };
const answer = { answer: 'Done.' };

// proves: visibility.groups, visibility.refused
test('a tool of an inactive group is not in the prompt, and a call is refused with the way to get it', async () => {
  await using harness = await openRecorded([locateCall, answer], { agent });
  await harness.say('Where am I?');
  const blocks = await harness.closed();
  const [request] = harness.model.requests;
  expect(request?.tools).not.toContain('browser.locate');
  expect(harness.systems[0]).not.toContain('### browser.locate');
  expect(request?.text).toContain('group browser: Act in the browser. (browser.locate)');
  expect(resultsIn(blocks)).toEqual([
    expect.stringMatching(
      /tool_not_visible.*group “browser”.*react\.tools \{"add":\["browser"\]\}/,
    ),
  ]);
});

// proves: visibility.refused
test('a tool that the message of the turn switched off is refused, and no error suggests it', () => {
  const seen = { tools: [add], hidden: [locate], switchedOff: [locate] };
  expect(missingTool(seen, 'browser.locate')).toMatchObject({ code: 'tool_not_visible' });
  expect(missingTool(seen, 'browser.locat').message).not.toContain('browser.locate');
  const inactive = missingTool({ ...seen, switchedOff: [] }, 'browser.locat');
  expect(inactive.message).toContain('Nearest: browser.locate.');
});

// proves: visibility.switch, visibility.cache
test('a group that is switched on is described by the result, and nothing above the tail changes', async () => {
  await using harness = await openRecorded([switchOn, locateCall, answer], { agent });
  await harness.say('Where am I?');
  const blocks = await harness.closed();
  const [, second] = harness.model.requests;
  const [switched = '', located] = resultsIn(blocks);
  expect(switched).toContain('### browser.locate\nWhere the user is.');
  expect(located).toBe('Lisbon');
  expect(second?.tools).toContain('browser.locate');
  expect(harness.systems.length).toBe(3);
  expect(new Set(harness.systems).size).toBe(1);
  expect(second?.text).toContain('### browser.locate');
  expect(second?.text).not.toContain('group browser');
  expect(blocks.map(({ type }) => type)).not.toContain('cache.break');
  expect(verify(blocks)).toEqual([]);
});

// proves: visibility.switch, visibility.cache
test('with native tools the next request offers the group, which is a declared break', async () => {
  const native = { ...agent, protocol: 'native-tools' as const };
  const offers: (readonly string[])[] = [];
  await using harness = await openHarness([switchOn, locateCall, answer], {
    agent: native,
    through: (model) => ({
      ...model,
      id: model.id,
      contextTokens: model.contextTokens,
      costUsd: () => 0,
      stream: (request, streaming) => {
        offers.push((request.offer?.tools ?? []).map(({ name }) => name));
        return model.stream(request, streaming);
      },
    }),
  });
  await harness.say('Where am I?');
  const blocks = await harness.closed();
  expect(offers.map((names) => names.includes('browser__locate'))).toEqual([false, true, true]);
  const [switched, located] = resultsIn(blocks);
  expect(switched).not.toContain('Where the user is.');
  expect(located).toBe('Lisbon');
  const breaks = blocks.filter(({ type }) => type === 'cache.break');
  expect(breaks.map(({ data }) => data)).toEqual([{ cause: 'catalogue' }]);
});

// proves: visibility.switch
test('a group stays on in later turns until it is switched off', async () => {
  const off = { call: { tool: 'react.tools', input: { set: [] } } };
  const script = [switchOn, answer, locateCall, off, locateCall, answer];
  await using harness = await openRecorded(script, { agent });
  await harness.say('One');
  await harness.closed();
  await harness.say('Two');
  const blocks = await harness.closed(2);
  expect(resultsIn(blocks).slice(1)).toEqual([
    'Lisbon',
    expect.stringContaining('Groups that are on: none'),
    expect.stringContaining('tool_not_visible'),
  ]);
  expect(new Set(harness.systems).size).toBe(1);
});

// proves: visibility.one-set
test('a round keeps the tools it started with, also when another worker takes it over', async () => {
  let noteStart = () => {};
  const started = new Promise<void>((resolve) => {
    noteStart = resolve;
  });
  let runs = 0;
  const wait = createTool({
    id: 'slow.wait',
    description: 'Waits.',
    kind: 'bundle',
    traits: ['neutral'],
    input: z.object({}),
    run: async (_, { signal }) => {
      runs += 1;
      if (runs > 1) return { result: { ok: true, ret: 'waited' } };
      noteStart();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return { result: { ok: true, ret: 'never' } };
    },
  });
  const all = { call: [switchOn.call, { tool: 'slow.wait' }, locateCall.call] };
  const policies = { ...agentDefaults.policies, multiAction: 'safe_fanout' as const };
  const budgets = { ...agentDefaults.budgets, actionsPerRound: 3 };
  await using harness = await openRecorded([all, locateCall, answer], {
    agent: { ...agent, tools: [...agent.tools, wait], policies, budgets },
  });
  await harness.say('Where am I?');
  await started;
  await harness.restart();
  const blocks = await harness.closed();
  expect(runs).toBe(2);
  expect(resultsIn(blocks).slice(1)).toEqual([
    'waited',
    expect.stringContaining('tool_not_visible'),
    'Lisbon',
  ]);
});

// proves: visibility.unknown-tool
test('an unknown tool, and an unknown group, are answered with the nearest names', async () => {
  const wrong = { call: { tool: 'locate' } };
  const group = { call: { tool: 'react.tools', input: { add: ['browsers'] } } };
  await using harness = await openRecorded([wrong, group, answer], { agent });
  await harness.say('Where am I?');
  const [tool, none] = resultsIn(await harness.closed());
  expect(tool).toMatch(/tool_not_found.*Nearest: browser\.locate\./);
  expect(none).toMatch(/no group or tool “browsers”\. Nearest: browser\./);
});

// proves: visibility.one-set
test('a program is granted what is visible, and a hidden tool is not prepared', async () => {
  const granted: (readonly string[])[] = [];
  let prepared = 0;
  const program = createTool({
    id: 'exec_tools.execute_code_python',
    language: 'python',
    description: 'Runs.',
    kind: 'exec',
    traits: ['exploration'],
    input: z.object({}),
    run: async (_, { programs }) => {
      granted.push((programs?.tools ?? []).map(({ spec }) => spec.id));
      return { result: { ok: true, ret: 'ran' } };
    },
  });
  const prepare = () => {
    prepared += 1;
    return undefined;
  };
  const run = { call: { tool: 'exec_tools.execute_code_python' }, code: 'pass' };
  await using harness = await openRecorded([run, locateCall, switchOn, run, locateCall, answer], {
    agent: { ...agent, tools: [add, { ...locate, prepare }, program, ...controlTools] },
  });
  await harness.say('Where am I?');
  await harness.closed();
  expect(granted.map((ids) => ids.includes('browser.locate'))).toEqual([false, true]);
  expect(prepared).toBe(1);
});

// proves: visibility.allow
test('with hiddenTool “allow” a hidden tool runs, although the prompt does not describe it', async () => {
  const { policies } = agentDefaults;
  const open = { ...agent, policies: { ...policies, hiddenTool: 'allow' as const } };
  await using harness = await openRecorded([locateCall, answer], { agent: open });
  await harness.say('Where am I?');
  expect(resultsIn(await harness.closed())).toEqual(['Lisbon']);
  expect(harness.systems[0]).not.toContain('### browser.locate');
});

// proves: visibility.groups
test('a group that is not inactive is on, and cannot be switched off', async () => {
  const off = { call: { tool: 'react.tools', input: { set: [] } } };
  const groups = [{ ...browser, active: true }];
  await using harness = await openRecorded([off, locateCall, answer], {
    agent: { ...agent, groups },
  });
  await harness.say('Where am I?');
  const blocks = await harness.closed();
  expect(resultsIn(blocks)[1]).toBe('Lisbon');
  expect(harness.systems[0]).toContain('### browser.locate');
});

/** A harness that keeps every system text that the model was sent. */
async function openRecorded(script: readonly Reply[], options: { agent: Partial<AgentSettings> }) {
  const systems: string[] = [];
  const through = (model: Model): Model => ({
    ...model,
    id: model.id,
    contextTokens: model.contextTokens,
    costUsd: (usage) => model.costUsd(usage),
    stream: (request, streaming) => {
      systems.push(request.system);
      return model.stream(request, streaming);
    },
  });
  const harness = await openHarness(script, { ...options, through });
  return Object.assign(harness, { systems });
}

function resultsIn(blocks: readonly Block[]): readonly string[] {
  return blocks.filter(({ type }) => type === 'react.tool.result').map(({ text = '' }) => text);
}
