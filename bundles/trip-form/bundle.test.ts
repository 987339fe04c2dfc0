import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const fill = (field: string, value: string) => ({
  call: { tool: 'trip.fill', input: { field, value } },
});

test('events fill in the form, and an approved submission ends it', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      fill('traveller', 'Ada Bauer'),
      fill('city', 'Lisbon'),
      fill('firstDay', '2026-12-01'),
      { answer: 'And the last day?' },
      fill('lastDay', '2026-12-03'),
      { call: { tool: 'trip.submit', input: {} } },
      { answer: 'T-20261201.' },
    ],
  });
  const conversation = runtime.connect().conversation();
  const first = await conversation.send('Ada Bauer to Lisbon, from 2026-12-01.');
  expect((await first.done()).text).toBe('And the last day?');
  const second = await conversation.event('form', { field: 'lastDay', value: '2026-12-03' });
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.approval') continue;
    await conversation.decide(event.data.request, { allow: true });
    break;
  }
  expect((await second.done()).text).toBe('T-20261201.');
  const result = (await second.blocks()).findLast(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({ ret: { request: 'T-20261201', days: 3 } });
});

test('a field that does not fit is refused, and nothing is stored', async () => {
  const model = [fill('firstDay', 'tomorrow'), { answer: 'As year-month-day, please.' }];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('I leave tomorrow.');
  await turn.done();
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result invalid_field',
  ]);
});

test('another program fills in a field through an operation', async () => {
  const model = [{ answer: 'Who travels?' }, fill('city', 'Porto'), { answer: 'Porto it is.' }];
  await using runtime = await openRuntime({ bundle, model });
  const client = runtime.connect();
  const conversation = client.conversation();
  await (await conversation.send('I want to travel.')).done();
  const payload = { conversation: conversation.id, field: 'city', value: 'Porto' } as const;
  await client.operation('trip-form', 'field', payload);
  for await (const event of conversation.events()) {
    if (event.type === 'chat.complete' && runtime.model.requests.length === 3) break;
  }
  expect(runtime.model.requests[1]?.text).toContain('FORM city: Porto');
});
