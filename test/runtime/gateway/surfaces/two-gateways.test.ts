import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { createTelegram } from '../../../../runtime/adapters/telegram/telegram.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { TelegramServer } from '../../../tools/services/telegram.ts';
import { agentWith } from '../../engine/kit/harness.ts';
import { openStage, type Stage, signal } from '../stage.ts';

const chat = 77;
const hookPath = '/api/surfaces/telegram/webhook';
let telegram: TelegramServer;
let owned: Scope;
beforeEach(async () => {
  owned = new Scope();
  telegram = owned.own(await TelegramServer.start());
});
afterEach(() => owned[Symbol.asyncDispose]());

function openGateway(shared: Partial<Stage['deps']>, webhook?: string): Promise<Stage> {
  const surface = createTelegram({
    ...{ token: telegram.token, url: telegram.url, clock: systemClock, editMs: 20 },
    webhookUrl: webhook,
  });
  return openStage({ ...shared, surfaces: [{ surface, allow: 'anyone' }] });
}

/** A worker and what gateways share, in memory. */
async function openFleet(replies: readonly Reply[]) {
  const { deps } = owned.own(await openStage());
  const model = createScriptedModel(replies, { id: 'scripted:test' });
  const agent = agentWith({ id: 'main' });
  const engine = { ...deps, worker: 'worker_1', agent: () => agent, model: () => model };
  owned.own(new Worker(engine, { signal }));
  const { store, bus, blobs, storage } = deps;
  return { model, shared: { store, bus, blobs, storage } };
}

const texts = () => telegram.shown(chat).map(({ text }) => text);

// proves: surface.gateways
test('of two gateways with a bot one asks for updates, and the other takes over when it stops', async () => {
  const wanted = ['One.', 'Two.', 'Three.'];
  const { shared } = await openFleet(wanted.map((answer) => ({ answer })));
  const first = await openGateway(shared);
  const ask = async (answer: string) => {
    await telegram.write(chat, { text: `Before ${answer}` });
    await telegram.untilText(chat, answer);
  };
  await ask('One.');
  owned.own(await openGateway(shared));
  await ask('Two.');
  expect(telegram.calls.filter(({ method }) => method === 'getMe')).toHaveLength(1);
  await first[Symbol.asyncDispose]();
  await ask('Three.');
  expect(texts()).toEqual(wanted);
});

// proves: surface.gateways
test('with a webhook any gateway takes updates, and one shows the answers', async () => {
  const { shared } = await openFleet([
    { answer: 'One.' },
    { answer: 'Two.' },
    { answer: 'Three.' },
  ]);
  const address = `https://loom.example${hookPath}`;
  const gateways = [
    owned.own(await openGateway(shared, address)),
    owned.own(await openGateway(shared, address)),
  ];
  const hook = await telegram.until(() => telegram.hook);
  const wanted = ['One.', 'Two.', 'Three.'];
  for (const [at, answer] of wanted.entries()) {
    telegram.hook = { ...hook, url: `${gateways[at % 2]?.gateway.url}${hookPath}` };
    await telegram.write(chat, { text: at === 2 ? 'Hello again' : 'Hi' });
    await telegram.untilText(chat, answer);
    if (at === 1) await telegram.write(chat, { text: '/new' });
  }
  expect(texts().filter((text) => wanted.includes(text))).toEqual(wanted);
});

// proves: surface.stop
test('a message that is being sent when the gateway stops is not sent again by the next one', async () => {
  const { shared } = await openFleet([{ answer: 'Once.' }]);
  const first = await openGateway(shared);
  const release = telegram.hold('sendMessage');
  await telegram.write(chat, { text: 'Hi' });
  await telegram.until(() => telegram.shown(chat).length > 0);
  const stopped = first[Symbol.asyncDispose]();
  release();
  await stopped;
  owned.own(await openGateway(shared));
  await telegram.untilText(chat, 'Once.');
  expect(texts()).toEqual(['Once.']);
});
