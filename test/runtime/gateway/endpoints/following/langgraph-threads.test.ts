import { Client } from '@langchain/langgraph-sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { restartTool } from '../../../engine/calls/parked-tools.ts';
import { signal } from '../../stage.ts';
import { openServedAgent } from '../served-agent.ts';

type Served = Awaited<ReturnType<typeof openServedAgent>>;
const restart = { call: { tool: 'service.restart', input: { service: 'checkout' } } };
const thread = 'thread_1';
const say = (content: string) => ({ messages: [{ type: 'human', content }] });

function openClient(served: Served): Client {
  const apiUrl = new URL(served.url('/')).origin;
  return new Client({ apiUrl, apiKey: null, callerOptions: { maxRetries: 0 } });
}

const part = z.looseObject({ event: z.string(), data: z.json() });
const values = z.looseObject({ messages: z.array(z.looseObject({ content: z.string() })) });

// proves: endpoints.langgraph-runs
test('a run has the status with which its turn ended or waits, and the list has the newest first', async () => {
  await using served = await openServedAgent(
    [
      { answer: 'Done.' },
      { fault: { code: 'MODEL_REFUSED' } },
      { thinking: 'Long', hold: 'first', answer: 'No.' },
      restart,
    ],
    { tools: [restartTool()] },
  );
  const client = openClient(served);
  const ended: string[] = [];
  for (const content of ['Answer', 'Fail']) {
    const { run_id } = await client.runs.create(thread, 'main', { input: say(content) });
    await client.runs.join(thread, run_id);
    ended.push((await client.runs.get(thread, run_id)).status);
  }
  const stopped = await client.runs.create(thread, 'main', { input: say('Work') });
  await served.model.held('first');
  expect((await client.runs.get(thread, stopped.run_id)).status).toBe('running');
  await client.runs.cancel(thread, stopped.run_id, true);
  ended.push((await client.runs.get(thread, stopped.run_id)).status);
  await client.runs.wait(thread, 'main', { input: say('Restart') });
  const listed = await client.runs.list(thread);
  expect(ended).toEqual(['success', 'error', 'interrupted']);
  expect(listed.map(({ status }) => status)).toEqual(['interrupted', ...ended.toReversed()]);
  expect(listed.map(({ assistant_id }) => assistant_id)).toContain('desk/main');
  expect(await client.runs.list(thread, { status: 'error' })).toHaveLength(1);
  await expect(client.runs.get(thread, 'turn_none')).rejects.toThrow('not found');
});

// proves: endpoints.langgraph-runs
test('the stream of a thread follows its runs one after the other, and goes on after an event', async () => {
  await using served = await openServedAgent([{ answer: 'One.' }, { answer: 'Two.' }]);
  const client = openClient(served);
  await client.threads.create({ threadId: thread });
  const stop = new AbortController();
  const seen: z.infer<typeof part>[] = [];
  const ids: string[] = [];
  const followed = (async () => {
    const stream = client.threads.joinStream(thread, { signal: stop.signal });
    for await (const each of stream) {
      seen.push(part.parse(each));
      ids.push(each.id ?? '');
      if (seen.filter(({ event }) => event === 'end').length === 2) break;
    }
  })();
  for (const content of ['A', 'B']) await client.runs.wait(thread, 'main', { input: say(content) });
  await followed;
  const last = seen.findLast(({ event }) => event === 'values');
  expect(values.parse(last?.data).messages.map(({ content }) => content)).toEqual(
    ...[['A', 'One.', 'B', 'Two.']],
  );
  const firstEnd = seen.findIndex(({ event }) => event === 'end');
  const rest: unknown[] = [];
  const again = client.threads.joinStream(thread, { lastEventId: ids[firstEnd] ?? '' });
  for await (const each of again) {
    rest.push(part.parse(each).data);
    if (each.event === 'end') break;
  }
  expect(rest.at(-1)).toEqual(seen.at(-1)?.data);
  expect(rest[0]).toEqual(seen[firstEnd + 1]?.data);
});

// proves: endpoints.langgraph-erase
test('a deleted thread leaves the lists of its user at once, and its facts are forgotten', async () => {
  await using served = await openServedAgent([]);
  const { bus, memory } = served.stage.deps;
  const client = openClient(served);
  await client.threads.create({ threadId: thread });
  const user = { tenant: 'dev', project: 'dev', user: 'dev' };
  const recording = { owner: { ...user, agent: 'desk/main' }, scope: 'user', op: 'op_1' } as const;
  const content = { facts: ['The user keeps bees'] };
  await memory?.record({ ...recording, conversation: thread, content }, { signal });
  let touched = 0;
  using _ = bus.onTouch(user, () => {
    touched += 1;
  });
  expect(await memory?.list(user, { signal })).toHaveLength(1);
  await client.threads.delete(thread);
  expect(touched).toBe(1);
  expect(await memory?.list(user, { signal })).toEqual([]);
  expect(await client.threads.search()).toEqual([]);
});

// proves: endpoints.langgraph-unsupported
test('what is not there is refused with what to do instead', async () => {
  await using served = await openServedAgent([]);
  const client = openClient(served);
  await client.threads.create({ threadId: thread });
  const asked: readonly (readonly [() => Promise<unknown>, string])[] = [
    [() => client.store.putItem(['a'], 'k', { v: 1 }), 'ctx.storage'],
    [() => client.store.getItem(['a'], 'k'), 'ctx.storage'],
    [() => client.crons.create('main', { schedule: '* * * * *' }), 'defineJob'],
    [() => client.crons.createForThread(thread, 'main', { schedule: '* * * * *' }), 'defineJob'],
    [() => client.threads.updateState(thread, { values: {} }), 'send a message'],
    [() => client.threads.copy(thread), '/fork'],
    [() => client.assistants.create({ graphId: 'main' }), 'in their bundle'],
    [() => client.assistants.getGraph('main'), 'no graphs'],
    [() => client.runs.delete(thread, 'turn_1'), 'erase the thread'],
  ];
  for (const [ask, instead] of asked) {
    const error: unknown = await ask().catch((reason: unknown) => reason);
    expect(String(error)).toContain('unsupported');
    expect(String(error)).toContain(instead);
  }
});
