import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineJob,
  defineOperation,
  defineResource,
  defineSecret,
  defineTool,
} from '../../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';

const crmKey = defineSecret({ id: 'CRM_KEY', for: 'user', description: 'key of the CRM' });
const used: string[] = [];
const find = defineTool({
  id: 'crm.find',
  description: 'Finds a customer.',
  input: z.object({}),
  run: async (_, ctx) => {
    const value = await ctx.secrets.get(crmKey);
    used.push(`${ctx.ids.user} ${value}`);
    return { value };
  },
});
const owner = defineOperation({
  id: 'owner',
  input: z.object({}),
  run: async (_, ctx) => (await ctx.secrets.get(crmKey)).length,
});
const sweep = defineJob({
  id: 'sweep',
  run: async (_, ctx) => void (await ctx.secrets.get(crmKey)),
});
const bundle = defineBundle({
  id: 'crm',
  version: '1',
  secrets: [crmKey],
  agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: [find] })],
  operations: [owner],
  jobs: [sweep],
});
const call = { call: { tool: 'crm.find', input: {} } };

// proves: secrets.per-user
test("a tool gets its user's secret, which is masked in its result", async () => {
  used.length = 0;
  await using runtime = await openRuntime({
    ...{ bundle, model: [call, { answer: 'Yes.' }, call, { answer: 'Yes.' }] },
    userSecrets: { test: { CRM_KEY: 'the-key-of-test' }, ann: { CRM_KEY: 'the-key-of-ann' } },
  });
  const turn = await runtime.send('Who?');
  await turn.done();
  const other = await runtime.connect({ user: 'ann' }).conversation().send('Who?');
  await other.done();
  expect(used).toEqual(['test the-key-of-test', 'ann the-key-of-ann']);
  const blocks = JSON.stringify([await turn.blocks(), await other.blocks()]);
  expect(blocks).not.toContain('the-key-of');
  expect(JSON.stringify(runtime.model.requests)).not.toContain('the-key-of');
});

// proves: secrets.requested
test('a tool is refused without its user’s secret, and the chat shows where to set it', async () => {
  used.length = 0;
  await using runtime = await openRuntime({
    ...{ bundle, model: [call, { answer: 'Set it first.' }] },
    secrets: { CRM_KEY: 'a value for all' },
    userSecrets: { ann: { CRM_KEY: 'the-key-of-ann' } },
  });
  const conversation = runtime.connect({ user: 'test' }).conversation();
  const turn = await conversation.send('Who?');
  const steps: unknown[] = [];
  for await (const event of conversation.events()) {
    if (event.type === 'chat.step' && event.event.step === 'secret.required')
      steps.push(event.data);
    if (event.type === 'chat.complete') break;
  }
  const url = '/api/me/secrets/crm/CRM_KEY';
  const request = { bundle: 'crm', id: 'CRM_KEY', description: 'key of the CRM' };
  expect(steps).toEqual([{ ...request, method: 'PUT', url }]);
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result secret_required',
  ]);
  expect(runtime.model.requests[1]?.text).toContain(`PUT ${url}`);
  expect(used).toEqual([]);
});

// proves: secrets.requested
test('an operation is refused without its user’s secret, and a job without a user fails', async () => {
  await using runtime = await openRuntime({ bundle, model: [] });
  const response = await runtime.operation('owner', new Request('http://x/', { method: 'POST' }));
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { error: { code: 'secret_required' } },
  ]);
  await expect(runtime.job('sweep', {})).rejects.toThrow(/CRM_KEY belongs to a user/);
});

// proves: secrets.per-user
test('a resource, which all users share, cannot be opened with the secret of one', async () => {
  const client = defineResource({ id: 'client', open: (ctx) => ctx.secrets.get(crmKey) });
  const open = defineTool({
    ...{ id: 'crm.open', description: 'Opens the CRM.', input: z.object({}) },
    run: (_, ctx) => ctx.use(client),
  });
  const agents = [defineAgent({ id: 'main', instruction: 'Help.', tools: [open] })];
  const shared = { id: 'crm', version: '1', secrets: [crmKey], resources: [client], agents };
  await using runtime = await openRuntime({
    bundle: defineBundle(shared),
    model: [{ call: { tool: 'crm.open', input: {} } }, { answer: 'No.' }],
    userSecrets: { test: { CRM_KEY: 'the-key-of-test' } },
  });
  const turn = await runtime.send('Open it');
  await turn.done();
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result RESOURCE_FAILED',
  ]);
});
