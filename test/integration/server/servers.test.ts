import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { externalServices, type ServerEnv } from '../../tools/external-services.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

// proves: topology.servers

/** Each process plays it from the start, for each conversation: `First.` is the answer of a worker that did not have the turn before. */
const script = `plays: per_conversation
replies:
  - { thinking: "A thought", answer: "First." }
  - { answer: "Second." }
`;

const scope = new Scope();
let env: ServerEnv;
let server: Served;
let gateway: Served;

beforeAll(async () => {
  env = await externalServices(scope, script);
  server = scope.own(await startServe(env));
  const dir = `${env['TIMELOOM_DATA_DIR']}-2`;
  gateway = scope.own(await startServe({ ...env, TIMELOOM_DATA_DIR: dir }, 'gateway'));
});
afterAll(() => scope[Symbol.asyncDispose]());

test('over Postgres and Redis a client of one server sees what another server works on', async () => {
  await using sender = connect({ url: server.url, user: 'bob' });
  await using watcher = connect({ url: gateway.url, user: 'bob' });
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

test('a conversation goes on at another gateway, with a worker of another process', async () => {
  let id = '';
  {
    await using client = connect({ url: server.url, user: 'ann' });
    const conversation = client.conversation();
    id = conversation.id;
    const turn = await conversation.send('Hello');
    const thought: string[] = [];
    for await (const { text } of turn.channel('thinking')) thought.push(text);
    expect(thought.join('')).toBe('A thought');
    expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'First.' });
    expect((await (await conversation.send('And then?')).done()).text).toBe('Second.');
  }
  await server[Symbol.asyncDispose]();
  await using client = connect({ url: gateway.url, user: 'ann' });
  const turn = await client.conversation(id).send('And again?');
  await using worker = await startServe(env, 'worker');
  expect((await turn.done()).text).toBe('First.');
  expect((await client.conversations()).items.map((each) => each.id)).toEqual([id]);
  expect([gateway.sandbox, worker.url]).toEqual([null, '']);
});
