import { expect, test } from 'vitest';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../runtime/adapters/memory/bus.ts';
import { createScriptedModel } from '../../../runtime/adapters/models/scripted/scripted-model.ts';
import { createUserSecrets } from '../../../runtime/adapters/secrets/user-secrets.ts';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { Worker } from '../../../runtime/engine/worker/worker.ts';
import { openGateway } from '../../../runtime/gateway/gateway.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { verify } from '../../../runtime/timeline/verify/verify.ts';
import { controlTools } from '../../../runtime/tools/react/control-tools.ts';
import { agentWith } from '../../runtime/engine/kit/harness.ts';
import { bundles, scope as place, signal } from '../../runtime/gateway/stage.ts';

const table = 'month,rain\nJan,140\n';
const read = {
  tool: 'react.read',
  input: { paths: ['fi:{{turn:1}}.user.attachments/rain.csv', 'fi:{{turn:1}}.files/plan.md'] },
};
const write = {
  tool: 'react.write',
  input: { path: 'files/plan.md', content: 'Compare the months.' },
};

// proves: fork.shared, fork.open-turn
test('a conversation is forked over HTTP while its turn is at work: both go on, with the files of the shared part', async () => {
  await using runtime = await openServer([
    { call: write },
    { thinking: 'Slowly', hold: 'busy', answer: 'It rains in January.' },
    { call: read },
    { answer: 'It rains 140 mm.' },
    { answer: 'Still raining.' },
  ]);
  const { client, model } = runtime;
  const parent = client.conversation();
  const attachments = [{ name: 'rain.csv', mime: 'text/csv', data: Buffer.from(table) }];
  const asked = await parent.send('When does it rain?', { attachments });
  await model.held('busy');
  const { status, body } = await runtime.fork(parent.id);
  expect([status, body]).toMatchObject([200, { forked_from: { conversation_id: parent.id } }]);
  const fork = client.conversation(body.conversation_id);
  const answered = await (await fork.send('And how much?')).done();
  expect(answered).toMatchObject({ reason: 'completed', text: 'It rains 140 mm.' });
  model.release('busy');
  expect(await asked.done()).toMatchObject({ reason: 'completed', text: 'It rains in January.' });
  expect(await (await parent.send('And now?')).done()).toMatchObject({ text: 'Still raining.' });

  const [mine, theirs] = [await runtime.log(parent.id), await runtime.log(fork.id)];
  expect([verify(mine), verify(theirs)]).toEqual([[], []]);
  const shared = body.forked_from.seq;
  expect(theirs.slice(0, shared).map(({ type, text }) => [type, text])).toEqual(
    mine.slice(0, shared).map(({ type, text }) => [type, text]),
  );
  const said = (blocks: typeof mine) =>
    blocks.filter(({ type }) => /^(user|external|assistant)\./.test(type)).map(({ text }) => text);
  expect(said(mine)).toEqual([
    'When does it rain?',
    table,
    'It rains in January.',
    'And now?',
    'Still raining.',
  ]);
  // The open turn ended in the fork, with its steps instead of an answer, before or after the next message arrived.
  const [first, attached, ...later] = said(theirs);
  expect([first, attached, later.pop()]).toEqual(['When does it rain?', table, 'It rains 140 mm.']);
  expect(later.toSorted()).toEqual(['And how much?', expect.stringContaining('- react.write: OK')]);
  const result = theirs.findLast(({ type }) => type === 'react.tool.result');
  expect(result?.text).toContain('Jan,140');
  expect(result?.text).toContain('Compare the months.');
  const file = `fi:${asked.id}.user.attachments/rain.csv`;
  expect(await (await runtime.file(file, fork.id)).text()).toBe(table);
});

/** A gateway, a worker and a client over the embedded Postgres. */
async function openServer(replies: Parameters<typeof createScriptedModel>[0]) {
  const owned = new Scope();
  const store = owned.own(await openPgliteTimelineStore({ dir: undefined }));
  const blobs = owned.own(openMemoryBlobStore());
  const bus = owned.own(openMemoryBus());
  const ports = { store, blobs, bus, clock: systemClock, ids: randomIds, log: silentLog };
  const model = createScriptedModel(replies, { id: 'scripted:test' });
  const agent = agentWith({ tools: controlTools });
  const engine = { ...ports, worker: 'worker_1', agent: () => agent, model: () => model };
  owned.own(new Worker(engine, { signal }));
  const deps = {
    ...ports,
    storage: store.values,
    userSecrets: createUserSecrets({
      storage: store.values,
      log: silentLog,
      secret: async () => 'k',
    }),
    auth: { mode: 'dev' as const },
    scope: place,
    bundles,
  };
  const listen = { host: '127.0.0.1', port: 0 };
  const gateway = owned.own(await openGateway({ ...deps, health: () => ({}) }, listen));
  const user = 'ann';
  const get = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, gateway.url), { ...init, headers: { 'x-timeloom-user': user } });
  return {
    model,
    client: owned.own(connect({ url: gateway.url, user })),
    fork: async (id: string) => {
      const path = `/conversations/dev/dev/${id}/fork`;
      const response = await get(path, { method: 'POST', body: '{}' });
      const body = (await response.json()) as {
        conversation_id: string;
        forked_from: { conversation_id: string; seq: number };
      };
      return { status: response.status, body };
    },
    file: (path: string, conversation: string) =>
      get(`/api/files?${new URLSearchParams({ path, conversation }).toString()}`),
    log: async (id: string) => {
      const row = await store.find(place, id, { signal });
      return await store.read(toConversationKey(row?.key ?? 0), {
        after: toSeq(0),
        limit: 1_000,
        signal,
      });
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}
