import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventLines } from '../../../../../runtime/adapters/models/providers/openai/event-lines.ts';
import { createOpenaiModel } from '../../../../../runtime/adapters/models/providers/openai/openai.ts';
import { createResponsesModel } from '../../../../../runtime/adapters/models/providers/openai/responses.ts';
import { answerOf } from '../ask.ts';

// proves: models.wire
test('events are the same however their text is split, with any end of a line', () => {
  const part = fc.constantFrom('data: a', 'data:b', ': hi', 'event: error', 'id: 1', '', 'datum');
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(
      fc.array(part),
      lineEnd,
      fc.array(fc.nat(5), { minLength: 1 }),
      (lines, end, cuts) => {
        const text = lines.map((line) => `${line}${end}`).join('');
        expect(read(cut(text, cuts))).toEqual(read([lines.map((line) => `${line}\n`).join('')]));
      },
    ),
  );
  expect(read(['event: error\ndata: {\ndata: }\n\n: hi\n\ndata:x'])).toEqual([
    { event: 'error', data: '{\n}' },
    { event: undefined, data: 'x' },
  ]);
});

// proves: models.connection
test('the connection is used again when the end of a response comes after its last event', async () => {
  let connections = 0;
  const chunk = { choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.write(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      // The client has read the last event before the body ends.
      setImmediate(() => setImmediate(() => response.end()));
    });
  }).on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const model = createOpenaiModel({ model: 'm', flavour: 'openai-compatible', baseUrl });
    for (let n = 0; n < 8; n += 1) expect((await answerOf(model, 'hi')).text).toBe('Hi.');
    // The next request may begin before the last connection is free.
    expect(connections).toBeLessThanOrEqual(2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

// proves: models.provider-errors
test.each([
  ['beside its type', { code: 'server_error', message: 'Try again.', param: null }],
  ['in itself', { error: { type: 'server_error', code: 'server_error', message: 'Try again.' } }],
])('an error event that has its code %s is that error', async (_, error) => {
  const data = JSON.stringify({ type: 'error', sequence_number: 2, ...error });
  await using server = await openEventServer(`event: error\ndata: ${data}\n\n`);
  const model = createResponsesModel({ ...server, model: 'm', flavour: 'openai', retriesMax: 0 });
  await expect(answerOf(model, 'hi')).rejects.toMatchObject({
    code: 'MODEL_OVERLOADED',
    detail: { because: 'Try again.' },
  });
});

async function openEventServer(body: string): Promise<{ baseUrl: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function read(texts: readonly string[]) {
  const lines = new EventLines();
  return [...texts.flatMap((text) => lines.push(text)), ...lines.end()];
}

function cut(text: string, lengths: readonly number[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0, n = 0; at < text.length; n += 1) {
    const length = 1 + (lengths[n % lengths.length] ?? 0);
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return parts;
}
