import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile } from '../kit.ts';

const add = defineTool({
  id: 'math.add',
  description: 'Adds.',
  input: z.object({ a: z.number() }),
  run: ({ a }) => a,
});
const stray = defineAgent({ id: 'stray', instruction: 'x' });
type Expose = NonNullable<NonNullable<Parameters<typeof bundleWith>[1]>['mcp']>['expose'];

const load = (expose: Expose) => compile(bundleWith([add], { mcp: { expose: expose ?? [] } }));

// proves: mcp.expose
test.each<readonly [string, Expose, RegExp]>([
  ['nothing to offer', [{ id: 'desk', tools: [] }], /“desk” has neither tools nor agents/],
  [
    'an agent of another bundle',
    [{ id: 'desk', tools: [], agents: [stray] }],
    /“stray” is not in the bundle's agents/,
  ],
  ['an id that is not kebab-case', [{ id: 'Desk', tools: [add] }], /“Desk” is not kebab-case/],
  [
    'an id twice',
    [
      { id: 'desk', tools: [add] },
      { id: 'desk', tools: [add] },
    ],
    /duplicate MCP endpoint “desk”/,
  ],
  [
    'public access without verification',
    [{ id: 'desk', access: 'public', tools: [add] } as never],
    /“desk” is public and must say how it verifies/,
  ],
])('%s stops the load', async (_, expose, problem) => {
  await expect(load(expose)).rejects.toThrow(problem);
});

// proves: mcp.expose
test('the agent of an endpoint has its tools, and is not one of the bundle', async () => {
  const bundle = await load([{ id: 'desk', tools: [add] }]);
  expect(bundle.agents.map(({ id }) => id)).toEqual(['main']);
  const [endpoint] = bundle.endpoints;
  expect(endpoint).toMatchObject({ id: 'desk', access: 'user', caller: { id: 'mcp.desk' } });
  expect(endpoint?.tools.map(({ id }) => id)).toEqual(['math.add']);
});
