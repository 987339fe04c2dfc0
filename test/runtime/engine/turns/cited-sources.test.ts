import { expect, test } from 'vitest';
import { z } from 'zod';
import { toOutputSchema } from '../../../../runtime/sdk/compile/validate/zod-schema.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { openHarness } from '../kit/harness.ts';

const find = createTool({
  id: 'web.find',
  description: 'Finds pages.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({}),
  run: async (_, { services }) => {
    const rows = [1, 2].map((n) => ({ url: `https://a.test/${n}`, title: `Page ${n}` }));
    return { result: { ok: true, ret: (await services.addSources(rows)).length } };
  },
});
const look = { call: { tool: 'web.find', input: {} } };

// proves: sources.unresolved-reported
test('the model gets a notice about an unknown citation, which is never shown', async () => {
  const answer = 'So [[S:2]] and [[S:7]]. [[USAGE:1,9]]';
  await using harness = await openHarness([look, { answer }], { tools: [find] });
  await harness.say('Find it');
  const blocks = await harness.closed();
  const completion = blocks.find(({ type }) => type === 'assistant.completion');
  expect(completion).toMatchObject({ text: answer, data: { sources_used: [2, 1] } });
  expect(blocks.find(({ type }) => type === 'react.notice')).toMatchObject({
    data: { code: 'citation_unresolved', sids: [7, 9] },
  });
  expect(verify(blocks)).toEqual([]);
});

test('citations of a structured output are stored beside it and count as used', async () => {
  const output = toOutputSchema(z.strictObject({ verdict: z.string() }));
  const said = { verdict: 'ship', _citations: [{ path: '/verdict', sids: [2] }] };
  await using harness = await openHarness([look, { answer: 'Ship.', output: said }], {
    tools: [find],
    agent: { output },
  });
  await harness.say('Ship?');
  const blocks = await harness.closed();
  const citations = [{ path: '/verdict', sids: [2] }];
  expect(blocks.find(({ type }) => type === 'assistant.completion')?.data).toMatchObject({
    output: { verdict: 'ship' },
    citations,
    sources_used: [2],
  });
  expect(blocks.at(-1)?.data).toMatchObject({ output: { verdict: 'ship' }, citations });
});
