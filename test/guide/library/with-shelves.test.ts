import { manualClock, openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-shelves.ts';

const call = (name: string, input: object) => ({ call: { tool: name, input: { ...input } } });

test('a guide finds, orders, describes, shares and prints', async () => {
  const asked: [string, string | null][] = [];
  await using runtime = await openRuntime({
    bundle,
    fetch: (request) => {
      asked.push([request.url, request.headers.get('idempotency-key')]);
      return Response.json({ printed: true });
    },
    model: [
      call('shelves.where', { title: 'Emma' }),
      call('shelves.where', { title: 'Ulysses' }),
      call('shelves.order', { title: 'Emma' }),
      call('shelves.blurb', { title: 'Emma' }),
      { role: 'small', output: { text: 'Read it.' } },
      call('shelves.share', {}),
      call('shelves.print', { path: 'outputs/leaflet.md' }),
      { answer: 'It is on shelf 3.' },
    ],
  });
  const turn = await runtime.send('Where is Emma?');
  expect(await turn.done()).toMatchObject({ text: 'It is on shelf 3.' });
  expect(outline(await turn.blocks(), 'react.tool.result', 'react.tool.progress')).toEqual([
    'react.tool.progress looking for Emma',
    'react.tool.result ok',
    'react.tool.progress looking for Ulysses',
    'react.tool.result unknown_title',
    'react.tool.result ok',
    'react.tool.progress looking for Emma',
    'react.tool.result ok',
    'react.tool.result ok',
    'react.tool.result ok',
  ]);
  expect(asked.map(([url]) => url)).toEqual([
    'https://shop.test/orders',
    'https://printer.test/run',
  ]);
});

test('an operation reads the headers of its request', async () => {
  await using runtime = await openRuntime({ bundle, model: [] });
  const headers = { 'accept-language': 'de' };
  const response = await runtime.operation('greeting', new Request('http://x.test', { headers }));
  expect(await response.json()).toMatchObject({ ret: { text: 'Willkommen' } });
});

test('the screen of the reader is moved by their client, on a day that the test chooses', async () => {
  await using runtime = await openRuntime({
    bundle,
    clock: manualClock('2026-03-01T09:00:00.000Z'),
    model: [call('screen.point', { shelf: 3 }), { answer: 'There.' }],
  });
  const shown: number[] = [];
  const client = runtime.connect({
    tools: {
      'screen.point': ({ shelf }: { shelf: number }) => {
        shown.push(shelf);
        return { shown: true };
      },
    },
  });
  const turn = await client.conversation().send('Show me.');
  expect(await turn.done()).toMatchObject({ text: 'There.' });
  expect(shown).toEqual([3]);
});
