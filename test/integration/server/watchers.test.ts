import { io } from 'socket.io-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { openWatcher } from '../../runtime/gateway/endpoints/live-watcher.ts';
import {
  asSaidBy,
  readings,
  watcherNames,
} from '../../runtime/gateway/endpoints/watcher-readings.ts';
import { ask, scope as user } from '../../runtime/gateway/stage.ts';
import { externalServices, type ServerEnv } from '../../tools/external-services.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const answer = `The list has ${'gin, '.repeat(60)}and nothing else.`;
const scope = new Scope();
let env: ServerEnv;

beforeAll(async () => {
  const script = `- { answer: "${answer}", chunk: 12, delay_ms: 120 }\n`;
  env = await externalServices(scope, script);
});
afterAll(() => scope[Symbol.asyncDispose]());

// proves: endpoints.seven-watchers
test('seven watchers at two gateways see the same answer, though its worker process is killed', async () => {
  await using one = await startServe(env, 'gateway');
  await using two = await startServe(env, 'gateway');
  await using worker = await startServe(env, 'worker');
  const socket = io(one.url, { transports: ['websocket'], forceNew: true, auth: user });
  const message = { conversation_id: 'conv_a', message_id: 'm1', text: 'Write the list' };
  expect(await ask(socket, 'chat_message', message)).toMatchObject({ ok: true });
  socket.disconnect();
  const watchers = watcherNames.map((name, n) => ({
    name,
    ...openWatcher(n % 2 === 0 ? one.url : two.url, name),
  }));
  await Promise.all(watchers.map(({ answering }) => answering));
  await worker.kill();
  await using _next = await startServe(env, 'worker');
  const seen = { answer, calls: [], files: [], steers: [], end: 'completed' };
  for (const { name, whole } of watchers)
    expect(await readings[name](await whole), name).toEqual(asSaidBy(name, seen));
});
