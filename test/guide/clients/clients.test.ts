import { expect, test } from 'vitest';
import { openMcpStage } from '../../runtime/gateway/endpoints/mcp/mcp-kit.ts';
import { openServedAgent } from '../../runtime/gateway/endpoints/served-agent.ts';
import { askAgent } from './a2a-client.ts';
import { printMessages } from './agentscope.ts';
import { followSteps } from './fim.ts';
import { runThread } from './langgraph-client.ts';
import { useBundle } from './mcp-client.ts';
import { askOnce } from './one-answer.ts';

const sum = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };
const message = { conversation_id: 'conv_a', message_id: 'm1', text: 'What is 1 + 2?' };
const chat = '/api/chat/dev/dev';

// proves: endpoints.guides
test('the sample for MCP lists, calls a tool and asks an agent', async () => {
  await using stage = await openMcpStage([{ answer: 'Nothing.' }]);
  const { tools, sum: added, answer, messages } = await useBundle(stage.url('acme'));
  expect(tools.map(({ name }) => name)).toContain('main');
  expect(added.structuredContent).toEqual({ sum: 3 });
  expect(answer.content).toEqual([{ type: 'text', text: 'Nothing.' }]);
  expect(JSON.stringify(messages)).toContain('Ann in English');
});

// proves: endpoints.guides
test('the sample for A2A shows the answer', async () => {
  await using served = await openServedAgent([{ answer: 'It is the cache.' }]);
  const shown: string[] = [];
  await askAgent(served.url('/api/a2a/dev/dev/desk/main'), 'conv_a', (text) => shown.push(text));
  expect(shown.at(-1)).toBe('It is the cache.');
});

// proves: endpoints.guides
test('the sample for LangGraph shows the state of a new thread', async () => {
  await using served = await openServedAgent([{ answer: 'It is the cache.' }]);
  const states: unknown[] = [];
  const show = (state: unknown) => states.push(state);
  expect(await runThread(served.stage.gateway.url, show)).not.toBe('');
  expect(JSON.stringify(states.at(-1))).toContain('It is the cache.');
});

// proves: endpoints.guides
test('the samples for FIM One and AgentScope follow the same turn', async () => {
  await using served = await openServedAgent([sum, { answer: 'It is 3.' }]);
  await served.post(`${chat}/messages`, message);
  const stream = served.url(`${chat}/conversations/conv_a/stream`);
  const lines: string[] = [];
  const [done, messages] = await Promise.all([
    followSteps(stream, (line) => lines.push(line)),
    printMessages(stream, 'main'),
  ]);
  expect(lines.slice(0, 2)).toEqual(['math.add start ', 'math.add done 3']);
  expect(done).toMatchObject({ answer: 'It is 3.', iterations: 2 });
  expect(JSON.stringify([...messages.values()].at(-1))).toContain('It is 3.');
});

// proves: endpoints.guides
test('the sample for one answer gets the text', async () => {
  await using served = await openServedAgent([{ answer: 'Hello.' }]);
  expect(await askOnce(served.url(chat), 'Hi')).toBe('Hello.');
});
