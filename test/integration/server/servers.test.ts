import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { externalServices, type ServerEnv } from '../../tools/external-services.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

// proves: topology.servers

const scope = new Scope();
let env: ServerEnv;

beforeAll(async () => {
  const script = '- { thinking: "A thought", answer: "First." }\n- { answer: "Second." }\n';
  env = await externalServices(scope, script);
});
afterAll(() => scope[Symbol.asyncDispose]());

test('over Postgres and Redis a conversation is answered, and another server goes on with it', async () => {
  let id = '';
  {
    await using server = await startServe(env);
    await using client = connect({ url: server.url, user: 'ann' });
    const conversation = client.conversation();
    id = conversation.id;
    const turn = await conversation.send('Hello');
    const thought: string[] = [];
    for await (const { text } of turn.channel('thinking')) thought.push(text);
    expect(thought.join('')).toBe('A thought');
    expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'First.' });
  }
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const turn = await client.conversation(id).send('And again?');
  expect((await turn.done()).text).toBe('First.');
  expect((await client.conversations()).items.map((each) => each.id)).toEqual([id]);
});

test('a client of one server sees what another server works on', async () => {
  await using one = await startServe(env);
  await using two = await startServe({
    ...env,
    TIMELOOM_DATA_DIR: `${env['TIMELOOM_DATA_DIR']}-2`,
  });
  await using sender = connect({ url: one.url, user: 'bob' });
  await using watcher = connect({ url: two.url, user: 'bob' });
  const conversation = sender.conversation();
  const turn = await conversation.send('Hello');
  const seen: string[] = [];
  for await (const event of watcher.conversation(conversation.id).events()) {
    if (event.type === 'chat.delta' && event.delta.marker === 'answer') seen.push(event.delta.text);
    if (event.type === 'chat.complete') break;
  }
  expect(seen.join('')).toBe('First.');
  expect((await turn.done()).text).toBe('First.');
});

test('a gateway takes in what a worker of another process answers', async () => {
  await using gateway = await startServe(env, 'gateway');
  await using client = connect({ url: gateway.url, user: 'cy' });
  const turn = await client.conversation().send('Hello');
  await using worker = await startServe(env, 'worker');
  expect((await turn.done()).text).toBe('First.');
  expect([gateway.sandbox, worker.url]).toEqual([null, '']);
});
