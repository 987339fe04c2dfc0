import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { noTurn, toCallId, toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { CallContext } from '../../../../runtime/tools/ports/tool.ts';
import { planTool } from '../../../../runtime/tools/react/plan.ts';
import { findFiles } from '../../../../runtime/tools/react/workspace/find-files.ts';
import { createPathReader } from '../../../../runtime/tools/services/path-reader.ts';
import { openHarness } from '../kit/harness.ts';

const long = 'The harbour was quiet and the lamps were lit one by one. '.repeat(24);
const page = `${long} And the last lamp is green.`;

const browse = createTool({
  id: 'web.browse',
  description: 'Reads a page.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({}),
  run: async (_, { services }) => {
    await services.addSources([{ url: 'https://a.example', title: 'Lamps', text: page }]);
    const bytes = new TextEncoder().encode(page);
    await services.writeFile({ filepath: 'outputs/page.txt', bytes, mime: 'text/plain' });
    return { result: { ok: true, ret: { page } } };
  },
});

/** A first turn with blocks of every kind, followed by so much text that a compaction removes it. */
async function openCompacted() {
  const harness = await openHarness(
    [
      { call: { tool: 'react.plan', input: { mode: 'new', steps: ['look', 'tell'] } } },
      { call: { tool: 'web.browse' } },
      { answer: 'The last lamp is green [[S:1]].', summary: 'Goal: lamps. Outcome: green.' },
      ...Array.from({ length: 6 }, () => ({ answer: long.repeat(3) })),
    ],
    {
      agent: { context: { ...agentDefaults.context, maxTokens: 17_000 } },
      tools: [browse, planTool],
    },
  );
  for (let turn = 1; turn <= 7; turn += 1) {
    await harness.say(turn === 1 ? 'What colour is the last lamp?' : long);
    await harness.closed(turn);
  }
  await harness.idle();
  const { store, blobs } = harness.engine;
  const { signal } = new AbortController();
  const scope = { tenant: 'dev', project: 'dev', user: 'ann' };
  const row = await store.find(scope, 'conv_test', { signal });
  const all = await harness.blocks();
  const view = foldAll(emptyView, all.slice((row?.windowSeq ?? 1) - 1));
  const key = row?.key ?? toConversationKey(0);
  const reader = createPathReader({
    scope,
    conversation: 'conv_test',
    key,
    view,
    store,
    blobs,
    signal,
  });
  return { harness, all, view, reader };
}

// proves: compact.reading
test('everything in a compacted turn can be read as before', async () => {
  const { harness, all, view, reader } = await openCompacted();
  await using _desk = harness;
  const turn = all[0]?.turn ?? noTurn;
  expect(view.turns.map(({ id }) => id)).not.toContain(turn);
  const call = all.findLast(
    ({ type, turn: of }) => type === 'react.tool.call' && of === turn,
  )?.call;
  const read = async (path: string) => (await reader.read(path))?.text ?? '';
  expect(await read(paths.prompt(turn))).toBe('What colour is the last lamp?');
  expect(await read(paths.completion(turn))).toContain('green [[S:1]]');
  expect(await read(paths.result(turn, toCallId(call ?? '')))).toContain('the last lamp is green');
  expect(await read(paths.summary(turn))).toBe('Goal: lamps. Outcome: green.');
  expect(await read(paths.source(1))).toContain('the last lamp is green');
  expect(view.sources[0]?.text).not.toContain('green');
  expect(await read(view.memory?.path ?? '')).toContain('- t1 ');
  const index = await read(paths.turnIndex(turn));
  expect(index).toContain('fi:t1.outputs/page.txt');
  const file = await reader.read(paths.file(turn, 'outputs/page.txt'));
  expect(file && new TextDecoder().decode(await reader.bytes(file))).toBe(page);
});

test('a folder of a compacted turn still has its files', async () => {
  const { harness, all, view, reader } = await openCompacted();
  await using _desk = harness;
  const turn = all[0]?.turn ?? noTurn;
  const context = { view, services: reader } as unknown as CallContext;
  const [file, ...more] = await findFiles(`fi:${turn}.outputs/`, context);
  expect(file).toMatchObject({ path: paths.file(turn, 'outputs/page.txt'), turn });
  expect(more).toEqual([]);
  expect(await findFiles(`fi:${turn}.files/`, context)).toEqual([]);
});

// proves: compact.state
test('an open plan and the pool of sources survive a compaction', async () => {
  const { harness, view, reader } = await openCompacted();
  await using _desk = harness;
  const plan = view.plans[0];
  expect(plan).toMatchObject({ steps: ['look', 'tell'], current: true });
  const read = await reader.read(paths.planLatest(plan?.plan_id ?? ''));
  expect(read?.data).toEqual(plan);
  expect(view.sources).toMatchObject([{ sid: 1, url: 'https://a.example', cut: true }]);
  expect(harness.model.requests.at(-1)?.text).toContain('[OPEN PLANS]\n- plan:');
});

test('a message that leaves no room is shown by its beginning and can be read in full under its path', async () => {
  await using harness = await openHarness([{ answer: 'Read.' }], {
    agent: { context: { ...agentDefaults.context, maxTokens: 17_000 } },
  });
  await harness.say(`${long.repeat(40)} Now you know.`);
  await harness.closed();
  const prompt = harness.model.requests.at(-1)?.text ?? '';
  expect(prompt).toContain('the whole is at ar:t1.user.prompt');
  expect(prompt).not.toContain('Now you know.');
});
