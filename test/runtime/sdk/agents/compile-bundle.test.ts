import { expect, test } from 'vitest';
import { z } from 'zod';
import { isFault } from '../../../../runtime/base/fault.ts';
import type { AgentOptions } from '../../../../runtime/sdk/define/agent.ts';
import {
  type Bundle,
  defineAgent,
  defineBundle,
  defineEvent,
  defineHook,
  defineProps,
  defineTool,
  defineWidget,
  starters,
} from '../../../../runtime/sdk/index.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { bundleWith, type Compiling, compile, openFolder } from '../kit.ts';

// proves: sdk.bundle

const tool = (id: `${string}.${string}`, description = 'Does it.') =>
  defineTool({ id, description, input: z.object({}), run: () => 1 });

async function problemsOf(bundle: Bundle, options?: Compiling): Promise<readonly unknown[]> {
  try {
    await compile(bundle, options);
  } catch (error) {
    if (!isFault(error) || error.code !== 'BUNDLE_INVALID') throw error;
    const { problems } = error.detail;
    return Array.isArray(problems) ? problems : [error.detail['because']];
  }
  return [];
}

test('all problems of a bundle are reported at once', async () => {
  const twin = tool('a.b');
  const bundle = defineBundle({
    id: 'Acme',
    version: '1',
    agents: [
      defineAgent({
        id: 'main',
        instruction: { file: './absent.md' },
        tools: [twin, tool('a.b'), tool('react.mine'), tool('mcp.x.y'), tool('web.*x'), 'web.*'],
        skills: ['absent-*'],
        channels: [{ id: 'thinking', format: 'text', description: '' }],
      }),
      defineAgent({ id: 'main', instruction: '' }),
    ],
    skills: './no-such-folder',
    events: [defineEvent({ kind: 'steer', payload: z.object({}), text: () => '' })],
    hooks: [defineHook({ id: 'guard' })],
  });
  const problems = (await problemsOf(bundle, { agents: { other: {} } })).join('\n');
  for (const culprit of [
    /bundle “Acme” is not kebab-case/,
    /duplicate agent “main”/,
    /file \.\/absent\.md not found/,
    /duplicate tool “a\.b”/,
    /tool “react\.mine” is reserved/,
    /tool “mcp\.x\.y” is reserved/,
    /tool “web\.\*x” must have the form alias\.name/,
    /no built-in tool matches “web\.\*”/,
    /no skill matches “absent-\*”/,
    /channel “thinking” is reserved/,
    /cannot read its skills/,
    /event kind “steer” is reserved/,
    /hook “guard” has no guard, transform or observe/,
    /unknown agent “other” in its settings/,
  ]) {
    expect(problems).toMatch(culprit);
  }
});

test('values not made by the define functions are refused', async () => {
  await expect(compile({ id: 'acme' })).rejects.toThrow(/not made by defineBundle/);
  const bundle = defineBundle({ id: 'acme', version: '1', agents: [{ id: 'main' }] });
  expect((await problemsOf(bundle)).join()).toMatch(/not made by defineAgent/);
  expect(await problemsOf(defineBundle({ id: 'acme', version: '1' }))).toEqual([
    'it has no agents',
  ]);
});

test('later layers win key by key: default, installation, agent, operator; ceilings apply', async () => {
  const agent = defineAgent({
    ...starters.balanced,
    id: 'main',
    instruction: 'x',
    budgets: { rounds: 9 },
    exec: { memoryMb: 4_096 },
  });
  const bundle = defineBundle({ id: 'acme', version: '1', agents: [agent] });
  const { agents } = await compile(bundle, {
    defaults: { budgets: { rounds: 3, wallMs: 1_000 }, policies: { multiAction: 'off' } },
    agents: { main: { models: { decision: 'openai:gpt' }, context: { recentTurns: 2 } } },
    ceilings: { turnCostUsd: 5, execMemoryMb: 2_048 },
  });
  expect(agents[0]).toMatchObject({
    budgets: { rounds: 9, wallMs: 1_000, costUsd: 5 },
    policies: { multiAction: 'safe_fanout', malformed: 'degrade' },
    context: { maxTokens: 80_000, recentTurns: 2 },
    exec: { memoryMb: 2_048, timeoutMs: 60_000 },
    models: { decision: 'openai:gpt' },
    protocol: 'auto',
    answer: 'inline',
  });
});

/** As an author in JavaScript writes it. */
const written = (json: string): AgentOptions => JSON.parse(json);

// proves: sdk.known-words
test('an unknown key stops the load, and the nearest known key is suggested', async () => {
  const said = written(
    '{"exec":{"timeout":5,"fileMb":1},"budgets":{"cost_usd":1},"context":{"__proto__":1},"toolz":[],"channel":[]}',
  );
  const group = { description: 'x', tools: [], ...written('{"actve":false}') };
  const odd = { effect: 'none', ...written('{"timeoutMS":1}') };
  const strange = defineTool({
    ...{ id: 'a.odd', description: 'Does it.', input: z.object({}), run: () => 1 },
    ...odd,
  });
  const agent = defineAgent({
    ...{ id: 'main', instruction: 'x', tools: [strange], groups: { some: group }, ...said },
  });
  const more = written('{"agent":[],"on_load":1,"mcp":{"uses":[]}}');
  const event = { kind: 'ping', payload: z.object({}), text: () => '', ...written('{"reacts":1}') };
  const bundle = defineBundle({
    ...{ id: 'acme', version: '1', agents: [agent], events: [defineEvent(event)], ...more },
  });
  const problems = await problemsOf(bundle);
  expect(problems.map((one) => String(one).replace(/\?.*$/, ''))).toEqual([
    'it has an unknown key “agent”; did you mean agents',
    'it has an unknown key “on_load”; did you mean onLoad',
    'event kind “ping” has an unknown key “reacts”; did you mean reactive',
    'mcp has an unknown key “uses”; did you mean use',
    'agent “main”: it has an unknown key “toolz”; did you mean tools',
    'agent “main”: it has an unknown key “channel”; did you mean channels',
    'agent “main”: budgets has an unknown key “cost_usd”; did you mean costUsd',
    'agent “main”: context has an unknown key “__proto__”; did you mean ttlMs',
    'agent “main”: exec has an unknown key “timeout”; did you mean timeoutMs',
    'agent “main”: group “some” has an unknown key “actve”; did you mean active',
    'tool “a.odd” has an unknown key “effect”; did you mean effects',
    'tool “a.odd” has an unknown key “timeoutMS”; did you mean timeoutMs',
  ]);
  expect(problems).toContain(
    'agent “main”: exec has an unknown key “timeout”; did you mean timeoutMs? Other keys: fileMb, mode, image, pids, cpus, memoryMb, languages',
  );
});

test('an agent sees control tools, listed tools and active groups, sorted by id', async () => {
  const [own, grouped] = [tool('own.tool'), tool('grouped.tool')];
  const python = createTool({
    id: 'exec_tools.execute_code_python',
    kind: 'exec',
    language: 'python',
    description: 'runs',
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: null } }),
  });
  const agent = defineAgent({
    id: 'main',
    instruction: 'x',
    tools: [own, 'exec_tools.*', 'web_tools.*'],
    groups: { now: { description: 'Now.', tools: [grouped] } },
    exec: { languages: ['javascript'] },
  });
  const platform = { tools: [...controlTools, python], absent: ['web_tools.search'] };
  const bundle = defineBundle({ id: 'acme', version: '1', agents: [agent] });
  const { agents } = await compile(bundle, { platform });
  const ids = agents[0].tools.map(({ spec }) => spec.id);
  const control = controlTools.map(({ spec }) => spec.id);
  const shown = control.filter((id) => id !== 'react.tools');
  expect(ids).toEqual(['own.tool', 'grouped.tool', ...shown].toSorted());
});

// proves: visibility.groups
test('an agent with an inactive group, or with many tools, has react.tools', async () => {
  const later = { description: 'Later.', tools: [tool('grouped.tool')], active: false };
  const some = { id: 'main', instruction: 'x' };
  const grouped = defineAgent({ ...some, groups: { later } });
  const many = Array.from({ length: 13 }, (_, index) => tool(`own.t${index}`));
  for (const agent of [grouped, defineAgent({ ...some, tools: many })]) {
    const { agents } = await compile(defineBundle({ id: 'acme', version: '1', agents: [agent] }));
    expect(agents[0].tools.map(({ spec }) => spec.id)).toContain('react.tools');
  }
});

test('a group whose name looks like a tool stops the load', async () => {
  const groups = { 'a.b': { description: 'x', tools: [tool('own.tool')] } };
  const agent = defineAgent({ id: 'main', instruction: 'x', groups });
  const bundle = defineBundle({ id: 'acme', version: '1', agents: [agent] });
  expect((await problemsOf(bundle)).join()).toMatch(/group “a\.b” must have a lower-case name/);
});

test('invalid and undeclared props stop the load', async () => {
  const props = defineProps(z.object({ url: z.url() }));
  expect(
    (await problemsOf(bundleWith([], { props }), { props: { url: 'x', y: 1 } })).join(),
  ).toMatch(/unknown props: y.*invalid props: url/);
  expect((await problemsOf(bundleWith([]), { props: { url: 'x' } })).join()).toMatch(/url/);
});

test('an event kind parses its payload and returns its text', async () => {
  const alert = defineEvent({
    kind: 'alert',
    reactive: true,
    payload: z.object({ text: z.string() }),
    text: ({ text }) => `ALERT ${text}`,
  });
  const { kinds } = await compile(bundleWith([], { events: [alert] }));
  expect(kinds[0]).toMatchObject({ kind: 'alert', reactive: true, credit: 0 });
  expect(kinds[0]?.parse({ text: 'x' })).toMatchObject({ ok: true, text: 'ALERT x' });
  expect(kinds[0]?.parse({ text: 1 })).toMatchObject({ ok: false, violations: [{ path: 'text' }] });
});

test('a widget without its page causes a notice', async () => {
  await using folder = await openFolder({ 'ui/good/index.html': '<p>hi</p>' });
  const { widgets, notices } = await compile(
    bundleWith([], {
      widgets: [
        defineWidget({ id: 'good', title: 'Good', ui: './ui/good', renders: ['a/b'] }),
        defineWidget({ id: 'bad', title: 'Bad', ui: './ui/bad' }),
      ],
    }),
    { dir: folder.dir },
  );
  expect(widgets.map(({ id, renders }) => [id, renders])).toEqual([['good', ['a/b']]]);
  expect(notices.join()).toMatch(/widget “bad” is not served/);
});

test('structured output gives a schema to the model and a check of its reply', async () => {
  const agent = defineAgent({
    id: 'main',
    instruction: 'x',
    output: z.object({ verdict: z.enum(['ship', 'hold']) }),
  });
  const { agents } = await compile(defineBundle({ id: 'acme', version: '1', agents: [agent] }));
  const { output } = agents[0];
  expect(output?.schema).toMatchObject({ type: 'object', required: ['verdict'] });
  expect(output?.parse({ verdict: 'ship' })).toEqual({ ok: true, value: { verdict: 'ship' } });
  expect(output?.parse({ verdict: 'no' })).toMatchObject({ ok: false });
});

test('onLoad runs before any traffic, and stops the load if it throws', async () => {
  const revisions: string[] = [];
  await compile(bundleWith([], { onLoad: (ctx) => void revisions.push(ctx.ids.revision) }));
  expect(revisions).toEqual(['r1']);
  const broken = bundleWith([], {
    onLoad: () => {
      throw new Error('no database');
    },
  });
  await expect(compile(broken)).rejects.toThrow(/BUNDLE_INVALID.*onLoad: no database/);
});
