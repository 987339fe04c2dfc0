import { createServer, request as forward } from 'node:http';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Scope } from '../../../runtime/base/scope.ts';
import { openServedAgent } from '../../runtime/gateway/endpoints/served-agent.ts';
import { openAgent } from './ag-ui.ts';

/** A proxy that cuts every response after some bytes. */
async function openCuttingProxy(target: string, bytes: number) {
  let cuts = 0;
  const server = createServer((request, response) => {
    const { method, headers, url = '/' } = request;
    const onward = forward(new URL(url, target), { method, headers }, (answer) => {
      let left = bytes;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('end', () => response.end());
      answer.on('data', (chunk: Uint8Array) => {
        response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left > 0 || response.destroyed) return;
        cuts += 1;
        answer.destroy();
        // What was written so far has to arrive.
        setImmediate(() => response.socket?.end());
      });
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, cuts: () => cuts, [Symbol.asyncDispose]: close };
}

// proves: endpoints.resume
test('behind a proxy that cuts every connection, the client of the guide gets an unbroken run', async () => {
  await using owned = new Scope();
  const text = 'The answer is rather long, so that it takes many pieces. '.repeat(20).trim();
  const served = owned.own(
    await openServedAgent([
      { thinking: 'Adding.', call: { tool: 'math.add', input: { a: 1, b: 2 } } },
      { answer: text },
    ]),
  );
  const proxy = owned.own(await openCuttingProxy(served.stage.gateway.url, 1_500));
  const client = openAgent(proxy.url, 'thread_1');
  client.addMessage({ id: 'm1', role: 'user', content: 'What is 1 + 2?' });
  await client.runAgent();
  expect(proxy.cuts()).toBeGreaterThan(1);
  expect(client.messages.map(({ role }) => role)).toEqual([
    ...['user', 'reasoning', 'assistant', 'tool', 'assistant'],
  ]);
  expect(client.messages.at(-1)?.content).toBe(text);
});
