import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { add, agentWith, openHarness } from '../kit/harness.ts';

const more = createTool({
  id: 'mcp.gh.more',
  description: 'Is new.',
  kind: 'platform',
  input: z.object({}),
  run: async () => ({ result: { ok: true, ret: 'more' } }),
});

// proves: mcp.catalogue-break
test('a catalogue that changes during a round takes effect in the next one, as a declared cache break', async () => {
  let tools = [add];
  const login = createTool({
    id: 'mcp.gh.login',
    description: 'Brings more tools.',
    kind: 'platform',
    input: z.object({}),
    run: async () => {
      tools = [more];
      return { result: { ok: true, ret: 'in' } };
    },
  });
  tools = [add, login];
  const both = [
    { call: { tool: 'mcp.gh.login', input: {} } },
    { call: { tool: 'mcp.gh.more', input: {} } },
    { answer: 'Done.' },
  ];
  await using harness = await openHarness(both);
  let agent = agentWith({ tools });
  const live = () => {
    if (agent.tools !== tools) agent = agentWith({ tools, notices: ['mcp.gh is out of reach'] });
    return agent;
  };
  Object.assign(harness.engine, { agent: live });
  await harness.say('Log in, then go on.');
  const blocks = await harness.closed(1);
  const outline = blocks
    .filter(({ type }) => ['round.open', 'cache.break', 'react.tool.result'].includes(type))
    .map(({ type, data }) =>
      isJsonObject(data) ? [type, data['cause'] ?? data['ok'] ?? data['round']] : [],
    );
  expect(outline).toEqual([
    ['round.open', 1],
    ['react.tool.result', true],
    ['cache.break', 'catalogue'],
    ['round.open', 2],
    ['react.tool.result', true],
    ['round.open', 3],
  ]);
});
