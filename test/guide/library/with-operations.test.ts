import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { bundle } from './with-operations.ts';

const Answer = z.object({ ret: z.object({ conversation: z.string() }) });
const library = { bundle, secrets: { BOX_KEY: 'click' } };

test('the return box starts a turn for the borrower', async () => {
  await using runtime = await openRuntime({ ...library, model: [{ answer: 'Thank you!' }] });
  const drop = new Request('http://box.test', {
    method: 'POST',
    headers: { 'x-box-key': 'click' },
    body: JSON.stringify({ reader: 'ann', title: 'Emma' }),
  });
  const { ret } = Answer.parse(await (await runtime.operation('box', drop)).json());
  const conversation = runtime.connect({ user: 'ann' }).conversation(ret.conversation);
  for await (const event of conversation.events()) if (event.type === 'chat.complete') break;
  expect(runtime.model.requests[0]?.text).toContain('“Emma” was dropped into the return box.');
});

test('a page asks when a book is due', async () => {
  await using runtime = await openRuntime({ ...library, model: [] });
  const due = await runtime
    .connect({ user: 'ann' })
    .operation(bundle.id, 'due-on', { lent: '2026-03-01', weeks: 2 });
  expect(due).toEqual({ reader: 'ann', due: '2026-03-15' });
});
