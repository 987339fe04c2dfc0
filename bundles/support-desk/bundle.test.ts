import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const refund = (order: string) => ({
  call: { tool: 'orders.refund', input: { order, reason: 'A wheel is broken.' } },
});

test('a large refund waits for an approval', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [refund('A-1002'), { answer: 'Refunded.' }],
  });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('Please refund A-1002.');
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.approval') continue;
    expect(event.data.title).toBe('Refund 289 EUR to Ben Cho?');
    await conversation.decide(event.data.request, { allow: true });
    break;
  }
  expect((await turn.done()).text).toBe('Refunded.');
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual(['react.tool.result ok']);
});

test('a small refund needs no approval', async () => {
  const model = [refund('A-1001'), { answer: 'Refunded.' }];
  await using runtime = await openRuntime({ bundle, model });
  expect((await (await runtime.send('Please refund A-1001.')).done()).text).toBe('Refunded.');
});

test('an order that was not delivered, and one that does not exist, are not refunded', async () => {
  const props = { approvalAboveEur: 1_000 };
  const model = [refund('A-1003'), refund('A-9999'), { answer: 'I cannot refund these.' }];
  await using runtime = await openRuntime({ bundle, props, model });
  const turn = await runtime.send('Refund both.');
  await turn.done();
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result not_delivered',
    'react.tool.result order_not_found',
  ]);
});

test('an answer that guarantees something is written again', async () => {
  const model = [{ answer: 'We guarantee it arrives.' }, { answer: 'It is on its way.' }];
  await using runtime = await openRuntime({ bundle, model });
  expect((await (await runtime.send('Where is it?')).done()).text).toBe('It is on its way.');
});
