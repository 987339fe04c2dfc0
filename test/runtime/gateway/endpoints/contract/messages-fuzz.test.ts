import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../../../runtime/adapters/system/clock.ts';
import { createTelegram } from '../../../../../runtime/adapters/telegram/telegram.ts';
import { runs } from '../../../../tools/runs.ts';
import { TelegramServer } from '../../../../tools/services/telegram.ts';
import { openStage, type Stage } from '../../stage.ts';
import { bodies, expectTyped, openFuzzedStage } from '../fuzz-kit.ts';

const Failure = z.object({ ok: z.literal(false), error: z.looseObject({ code: z.string() }) });
const Accepted = z.looseObject({ ok: z.literal(true) });
const either = z.union([Failure, Accepted]);
const file = { name: 'a.csv', mime: 'text/csv', data: 'YSxiCg==' };
const messages = [
  { conversation_id: 'conv_a', message_id: 'm1', text: 'Hi', attachments: [file] },
  { message_id: 'm2', text: 'Hi', options: { max_rounds: 2, tools: [{ name: 'f' }] } },
  { conversation_id: 'conv_a', message_id: 'm3', kind: 'steer', text: '', target_turn_id: 't' },
  {
    ...{ conversation_id: 'conv_a', message_id: 'm4', kind: 'external.result' },
    payload: { call: 'tc_1', ok: true, ret: { a: [1] } },
  },
  {
    ...{ conversation_id: 'conv_a', message_id: 'm5', kind: 'approval.decision' },
    payload: { request: 'tc_1', allow: true },
  },
];

function post(url: URL, body: string, headers: Record<string, string> = {}) {
  const all = { 'content-type': 'application/json', ...headers };
  return fetch(url, { method: 'POST', headers: all, body });
}

async function expectHealthy({ gateway }: Stage) {
  expect((await fetch(new URL('/health', gateway.url))).status).toBe(200);
}

// proves: endpoints.fuzzed
test('any message over HTTP is acknowledged or refused with a code', async () => {
  await using stage = await openFuzzedStage();
  const url = new URL('/api/chat/dev/dev/messages', stage.gateway.url);
  const seen = new Set<boolean>();
  await fc.assert(
    fc.asyncProperty(bodies(messages), async (sent) => {
      const response = await post(url, sent);
      const answer = either.safeParse(await response.json());
      expect([sent, answer.success]).toEqual([sent, true]);
      expect(response.status).toBeLessThan(500);
      seen.add(response.ok);
      expect([sent, answer.data?.ok]).toEqual([sent, response.ok]);
    }),
    runs(200, 200),
  );
  expect(seen.size).toBe(2);
  await expectHealthy(stage);
});

// proves: endpoints.fuzzed
test('any question of a client that polls is answered with frames or a code', async () => {
  await using stage = await openFuzzedStage();
  const base = new URL('/api/chat/dev/dev/', stage.gateway.url);
  await post(new URL('messages', base), JSON.stringify(messages[0]));
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  const as = fc.oneof(fc.constantFrom('fim', 'agentscope', 'ag-ui', 'langgraph', 'ai'), text);
  const after = fc.oneof(fc.constantFrom('', '1.0.0.0.1.x', 'a|b=c', '|', '~1', 'now'), text);
  await fc.assert(
    fc.asyncProperty(as, after, fc.oneof(fc.constant('0'), text), async (name, place, wait) => {
      const url = new URL('conversations/conv_a/frames', base);
      for (const [key, value] of Object.entries({ as: name, after: place, wait }))
        url.searchParams.set(key, value.toWellFormed());
      // A poll that waits for the next turn is answered at the end of its time.
      if (Number(wait) > 0) url.searchParams.set('wait', '0');
      const response = await fetch(url);
      if (response.status === 200) Accepted.parse(await response.json());
      else await expectTyped(response, { error: Failure, sent: url.search });
    }),
    runs(200),
  );
  await expectHealthy(stage);
});

// proves: endpoints.fuzzed
test('any update at the webhook of a messenger is taken or refused with a code', async () => {
  await using telegram = await TelegramServer.start();
  const surface = createTelegram({
    ...{ token: telegram.token, url: telegram.url, clock: systemClock, editMs: 20 },
    webhookUrl: 'https://loom.example/api/surfaces/telegram/webhook',
  });
  await using stage = await openStage({ surfaces: [{ surface, allow: 'anyone' }] });
  const { secret } = await telegram.until(() => telegram.hook);
  const url = new URL('/api/surfaces/telegram/webhook', stage.gateway.url);
  const from = { id: 5, first_name: 'Ada', is_bot: false };
  const chat = { id: 7, type: 'private' };
  const updates = [
    { update_id: 1, message: { message_id: 1, chat, from, text: '/new' } },
    {
      update_id: 2,
      callback_query: { id: 'q1', data: 'allow', message: { message_id: 1, chat } },
    },
  ];
  await fc.assert(
    fc.asyncProperty(bodies(updates), async (sent) => {
      const response = await post(url, sent, { 'x-telegram-bot-api-secret-token': secret });
      const answer = either.safeParse(await response.json());
      expect([sent, answer.success, response.status < 500]).toEqual([sent, true, true]);
    }),
    runs(200),
  );
  await expectHealthy(stage);
});
