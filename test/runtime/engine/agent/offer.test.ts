import { expect, test } from 'vitest';
import { z } from 'zod';
import { offeredTools } from '../../../../runtime/engine/agent/offer.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { agentWith } from '../kit/harness.ts';

const normals = createTool({
  id: 'weather.normals',
  description: 'The climate normal of one month.',
  kind: 'bundle',
  input: z.object({ month: z.int() }),
  returns: {
    type: 'object',
    properties: { high_c: { type: 'number' }, month: { type: 'integer' } },
    required: ['high_c', 'month'],
  },
  run: async () => ({ result: { ok: true, ret: { high_c: 24, month: 7 } } }),
});
const bare = createTool({
  id: 'weather.ping',
  description: 'Answers.',
  kind: 'bundle',
  input: z.object({}),
  run: async () => ({ result: { ok: true, ret: null } }),
});

// proves: reply.native-returns
test('a native tool says what it returns, for programs that call it', () => {
  const { tools } = offeredTools(agentWith({ tools: [normals, bare] }));
  expect(tools.map(({ description }) => description)).toEqual([
    expect.stringMatching(/\nreturns: \{ high_c: number, month: integer \}$/),
    expect.not.stringContaining('returns:'),
  ]);
});
