import { expect, test } from 'vitest';
import { z } from 'zod';
import { openStage, type Stage } from '../../stage.ts';
import { eventsOf } from '../events.ts';
import { type Endpoint, endpoints, type Said } from './endpoints.ts';

const each = Object.entries(endpoints);
const Listed = z.object({ items: z.array(z.object({ id: z.string() })) });
const Attached = z.object({
  data: z.object({ items: z.array(z.looseObject({ mime: z.string(), size: z.number() })) }),
});
const base64 = (text: string) => Buffer.from(text).toString('base64');

function send({ gateway }: Stage, { path, body }: Endpoint, said: Partial<Said>) {
  const whole = { id: 'm1', text: 'Hi', agent: 'main', ...said };
  const headers = { 'content-type': 'application/json', 'idempotency-key': whole.id };
  const init = { method: 'POST', headers, body: JSON.stringify(body(whole)) };
  return fetch(new URL(path(whole.agent), gateway.url), init);
}

async function conversationsOf({ gateway }: Stage): Promise<readonly string[]> {
  const response = await fetch(new URL('/conversations/dev/dev', gateway.url));
  return Listed.parse(await response.json()).items.map(({ id }) => id);
}

/** The attachments of a message, as our own clients see them. */
async function attachmentsIn({ gateway }: Stage, conversation: string) {
  const path = `/api/chat/dev/dev/conversations/${conversation}/stream`;
  for await (const { data } of eventsOf(await fetch(new URL(path, gateway.url)))) {
    if (data.includes('"type":"chat.attachments"')) {
      return Attached.parse(JSON.parse(data)).data.items;
    }
  }
  return [];
}

// proves: endpoints.contract
test.each(each)('%s: a file of a message is an attachment with its type', async (_, endpoint) => {
  await using stage = await openStage();
  const file = { mime: 'text/csv', data: base64('a,b\n1,2\n') };
  const answer = await send(stage, endpoint, { file });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  const [conversation = ''] = await conversationsOf(stage);
  expect(await attachmentsIn(stage, conversation)).toMatchObject([{ mime: 'text/csv', size: 8 }]);
});

// proves: endpoints.contract
test.each(each)('%s: a file that is not what it says is refused', async (_, endpoint) => {
  await using stage = await openStage();
  const file = { mime: 'image/png', data: base64('%PDF-1.4 not an image') };
  const answer = await send(stage, endpoint, { file });
  const code = endpoint.error.parse(await answer.json());
  expect([answer.status, code]).toEqual([endpoint.isRpc ? 200 : 413, 'attachment_refused']);
  expect(await conversationsOf(stage)).toEqual([]);
});

// proves: endpoints.contract
test.each(each)('%s: a user who sends too much learns when to try again', async (_, endpoint) => {
  await using stage = await openStage({ limits: { user: { perMinute: 1 } } });
  const first = await send(stage, endpoint, {});
  expect(first.status).toBe(200);
  await first.body?.cancel();
  const second = await send(stage, endpoint, { id: 'm2' });
  const code = endpoint.error.parse(await second.json());
  expect([second.status, code]).toEqual([endpoint.isRpc ? 200 : 429, 'busy']);
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
});
