import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../runtime/adapters/models/scripted/scripted-model.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { createTelegram } from '../../runtime/adapters/telegram/telegram.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { Worker } from '../../runtime/engine/worker/worker.ts';
import type { ServedSurface } from '../../runtime/sdk/contract/surface.ts';
import { ask, defineTool } from '../../runtime/sdk/index.ts';
import { agentWith } from '../runtime/engine/kit/harness.ts';
import { bundles, openStage, scope as place, signal } from '../runtime/gateway/stage.ts';
import { compiledTool } from '../runtime/sdk/kit.ts';
import { TelegramServer } from '../tools/services/telegram.ts';

const chat = 77;
const restart = defineTool({
  id: 'service.restart',
  description: 'Restarts one service.',
  input: z.object({ service: z.string() }),
  approval: ({ service }) => ask(`Restart ${service}?`, { detail: 'It takes a minute.' }),
  run: ({ service }) => ({ restarted: service }),
});

let telegram: TelegramServer;
let owned: Scope;
beforeEach(async () => {
  owned = new Scope();
  telegram = owned.own(await TelegramServer.start());
});
afterEach(() => owned[Symbol.asyncDispose]());

/** A gateway with the bot, and a worker, over the same memory. */
async function serve(
  replies: readonly Reply[],
  { webhook, ...served }: Partial<ServedSurface> & { webhook?: string } = {},
) {
  const surface = createTelegram({
    token: telegram.token,
    url: telegram.url,
    clock: systemClock,
    webhookUrl: webhook && `${webhook}/api/surfaces/telegram/webhook`,
    editMs: 20,
  });
  const stage = owned.own(await openStage({ surfaces: [{ surface, allow: 'anyone', ...served }] }));
  const model = createScriptedModel(replies, { id: 'scripted:test' });
  const agent = agentWith({ id: 'main', tools: [await compiledTool(restart)] });
  const engine = { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model };
  owned.own(new Worker(engine, { signal }));
  return { stage, model };
}

async function conversations({ deps: { store } }: Awaited<ReturnType<typeof serve>>['stage']) {
  return await store.list({ ...place, user: `telegram:${chat}` }, { limit: 10, signal });
}

// proves: surface.conversation
test('a message to the bot is answered in its chat, and the next one continues the conversation', async () => {
  const { stage } = await serve([{ answer: 'Hello **Ada**.' }, { answer: 'Still here.' }]);
  await telegram.write(chat, { text: 'Hi' });
  const first = await telegram.untilText(chat, 'Hello <b>Ada</b>.');
  await telegram.write(chat, { text: 'And now?' });
  const second = await telegram.untilText(chat, 'Still here.');
  expect(second.id).not.toBe(first.id);
  expect(telegram.shown(chat)).toHaveLength(2);
  expect(await conversations(stage)).toMatchObject([{ id: `telegram-${chat}` }]);
});

// proves: surface.edits
test('the message of a running turn shows its progress and becomes the answer', async () => {
  const { model } = await serve([{ answer: 'It is done.', hold: 'thinking', thinking: 'Hm.' }]);
  await telegram.write(chat, { text: 'Go' });
  const working = await telegram.untilText(chat, 'Working');
  model.release('thinking');
  const answer = await telegram.untilText(chat, 'It is done.');
  expect(answer.id).toBe(working.id);
});

// proves: surface.steer
test('a reply to the message that is being written steers the turn, and /stop ends it', async () => {
  const { model } = await serve([
    { thinking: 'Looking at Rome.', hold: 'rome', answer: 'Rome.' },
    { thinking: 'Paris, then.', hold: 'paris', answer: 'Paris it is.' },
  ]);
  await telegram.write(chat, { text: 'Where to?' });
  const working = await telegram.untilText(chat, 'Working');
  await model.held('rome');
  await telegram.write(chat, { text: 'Paris', reply_to_message: { message_id: working.id } });
  await model.held('paris');
  await telegram.write(chat, { text: '/stop' });
  const end = await telegram.until(() =>
    telegram.shown(chat).find(({ text }) => !text.includes('Working')),
  );
  expect(end.id).toBe(working.id);
  await telegram.write(chat, { text: '/stop' });
  await telegram.untilText(chat, 'No answer is being written.');
});

// proves: surface.approval
test('an approval is a message with buttons, and shows its outcome afterwards', async () => {
  await serve([
    { call: { tool: 'service.restart', input: { service: 'checkout' } } },
    { answer: 'Checkout is up.' },
  ]);
  await telegram.write(chat, { text: 'Restart checkout' });
  const asked = await telegram.untilText(chat, 'Restart checkout?');
  expect(asked.buttons.map(({ text }) => text)).toContain('Deny');
  await telegram.press(chat, 'Allow');
  await telegram.untilText(chat, 'Checkout is up.');
  const closed = await telegram.untilText(chat, 'Allowed');
  expect(closed).toMatchObject({ id: asked.id, buttons: [] });
  expect(telegram.shown(chat).at(-1)?.text).toBe('Checkout is up.');
  expect(telegram.calls.some(({ method }) => method === 'answerCallbackQuery')).toBe(true);
});

// proves: surface.files
test('a file that a person sends reaches the agent, and a canvas comes back as a document', async () => {
  const { stage } = await serve([
    { canvas: { name: 'report.md', text: '# Report' }, answer: 'Attached.' },
  ]);
  telegram.files.set('doc1', Buffer.from('a,b\n1,2\n'));
  const document = { file_id: 'doc1', file_name: 'table.csv', mime_type: 'text/csv' };
  await telegram.write(chat, { caption: 'Sum this up', document });
  await telegram.untilText(chat, 'Attached.');
  const sent = await telegram.until(() => telegram.shown(chat).find(({ file }) => file));
  expect(sent.file?.name).toBe('report.md');
  expect(sent.file?.bytes.toString()).toContain('# Report');
  const [row] = await conversations(stage);
  if (!row) throw new Error('no conversation');
  const blocks = await stage.deps.store.read(row.key, { after: 0 as never, limit: 100, signal });
  expect(JSON.stringify(blocks)).toContain('table.csv');
});

// proves: surface.allow
test('a chat that is not allowed learns its id, and nothing of it reaches an agent', async () => {
  const { stage } = await serve([{ answer: 'No.' }], { allow: new Set(['5']) });
  await telegram.write(chat, { text: 'Hi' });
  await telegram.untilText(chat, String(chat));
  expect(await conversations(stage)).toEqual([]);
});

test('/new begins another conversation', async () => {
  const { stage } = await serve([{ answer: 'One.' }, { answer: 'Two.' }]);
  await telegram.write(chat, { text: 'Hi' });
  await telegram.untilText(chat, 'One.');
  await telegram.write(chat, { text: '/new' });
  await telegram.untilText(chat, 'A new conversation begins.');
  await telegram.write(chat, { text: 'Hi again' });
  await telegram.untilText(chat, 'Two.');
  expect(await conversations(stage)).toHaveLength(2);
});

// proves: surface.once
test('an update that arrives twice is one message, and a busy service is asked again', async () => {
  telegram.refuse('sendMessage', { status: 429, description: 'Too Many Requests', retryAfter: 0 });
  telegram.refuse('getUpdates', { status: 502, description: 'Bad Gateway' });
  const { stage } = await serve([{ answer: 'Once.' }]);
  const id = await telegram.write(chat, { text: 'Hi' });
  await telegram.untilText(chat, 'Once.');
  await telegram.repeat({ chat, id }, { text: 'Hi' });
  await telegram.write(chat, { text: '/help' });
  await telegram.untilText(chat, '/new');
  expect(telegram.shown(chat).filter(({ text }) => text.includes('Once.'))).toHaveLength(1);
  expect(await conversations(stage)).toHaveLength(1);
});

// proves: surface.group
test('in a group the bot reads only what is meant for it', async () => {
  await serve([{ answer: 'Yes, Ada.' }]);
  await telegram.write(-9, { text: 'Lunch?' }, 'group');
  await telegram.write(-9, { text: '@loom_bot are you there?' }, 'group');
  await telegram.untilText(-9, 'Yes, Ada.');
  expect(telegram.shown(-9)).toHaveLength(1);
});

// proves: surface.webhook
test('with a webhook Telegram calls the server, and nobody without its secret can', async () => {
  const { stage } = await serve([{ answer: 'By webhook.' }], { webhook: 'https://loom.example' });
  const hook = await telegram.until(() => telegram.hook);
  expect(hook.url).toBe('https://loom.example/api/surfaces/telegram/webhook');
  const url = `${stage.gateway.url}/api/surfaces/telegram/webhook`;
  telegram.hook = { ...hook, url };
  await telegram.write(chat, { text: 'Hi' });
  await telegram.untilText(chat, 'By webhook.');
  const forged = await fetch(url, { method: 'POST', body: '{"update_id":1}' });
  expect(forged.status).toBe(401);
  const unknown = await fetch(url.replace('telegram', 'slack'), { method: 'POST', body: '{}' });
  expect(unknown.status).toBe(404);
});

// proves: surface.projects
test('each project has a bot of its own, whose chats are not those of another project', async () => {
  const other = owned.own(await TelegramServer.start());
  const support = { tenant: 'globex', project: 'support' };
  const botOf = (server: TelegramServer) =>
    createTelegram({
      ...{ token: server.token, url: server.url, clock: systemClock, editMs: 20 },
      webhookUrl: undefined,
    });
  const surfaces = [{ surface: botOf(other), allow: 'anyone' as const, records: 'globex' }];
  const stage = owned.own(
    await openStage({
      surfaces: [{ surface: botOf(telegram), allow: 'anyone' }],
      projects: [{ scope: support, bundles, surfaces }],
    }),
  );
  const model = createScriptedModel([{ answer: 'Yes.' }, { answer: 'Yes.' }], { id: 'm' });
  const agent = agentWith({ id: 'main' });
  const engine = { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model };
  owned.own(new Worker(engine, { signal }));
  await telegram.write(chat, { text: 'At home?' });
  await telegram.untilText(chat, 'Yes.');
  await other.write(chat, { text: 'At support?' });
  await other.untilText(chat, 'Yes.');
  expect([telegram.shown(chat).length, other.shown(chat).length]).toEqual([1, 1]);
  const titles = async (scope: typeof support) => {
    const sender = { ...scope, user: `telegram:${chat}` };
    return (await stage.deps.store.list(sender, { limit: 10, signal })).map(({ title }) => title);
  };
  expect(await titles(place)).toEqual(['At home?']);
  expect(await titles(support)).toEqual(['At support?']);
});
