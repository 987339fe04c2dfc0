import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AdmitEvent } from '../../../../runtime/sdk/contract/runtime-hooks.ts';
import { bundles, openStage, type Stage, scope, signal } from '../stage.ts';

let stage: Stage;
let isClosed = false;
const admit: AdmitEvent = async (event) =>
  isClosed || event.text?.includes('secret')
    ? { ok: false, error: { code: 'secret', message: 'Not here.', retryable: false }, failed: [] }
    : { ok: true, value: event, failed: [] };

beforeEach(async () => {
  isClosed = false;
  stage = await openStage({
    bundles: {
      ...bundles,
      agent: () => 'main',
      admitEvent: (bundle) => (bundle === 'desk' ? admit : undefined),
      admitting: () => ['desk'],
    },
  });
});
afterEach(() => stage[Symbol.asyncDispose]());

async function send(message: Readonly<Record<string, unknown>>) {
  const response = await fetch(new URL('/api/chat/dev/dev/messages', stage.gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_id: 'conv_h', ...message }),
  });
  const ack: unknown = await response.json();
  return { status: response.status, ack };
}

test('nothing is kept of an event that hooks refuse, and one that was accepted before gets the same answer', async () => {
  expect(await send({ message_id: 'm1', text: 'a secret' })).toMatchObject({
    status: 400,
    ack: { ok: false, status: 'refused', error: { code: 'secret', message: 'Not here.' } },
  });
  expect(await stage.deps.store.find(scope, 'conv_h', { signal })).toBeUndefined();
  expect((await send({ message_id: 'm2', text: 'Hello' })).ack).toMatchObject({
    status: 'started',
  });
  isClosed = true;
  expect((await send({ message_id: 'm2', text: 'Hello' })).ack).toMatchObject({
    status: 'duplicate',
  });
  expect((await send({ message_id: 'm3', kind: 'steer', text: '' })).ack).toMatchObject({
    ok: true,
  });
});

test('naming another bundle does not bypass the hooks of the bundle of the open turn', async () => {
  await send({ message_id: 'm1', text: 'Hello', bundle_id: 'desk' });
  const followup = { kind: 'followup', bundle_id: 'other' };
  expect((await send({ ...followup, message_id: 'm2', text: 'a secret' })).ack).toMatchObject({
    error: { code: 'secret' },
  });
  expect((await send({ ...followup, message_id: 'm3', text: 'and?' })).ack).toMatchObject({
    ok: true,
  });
});
