import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Docker from 'dockerode';
import { afterEach, expect, test } from 'vitest';
import { ensureImages } from '../../../../runtime/adapters/docker/engine/images.ts';
import { labelNames, reap } from '../../../../runtime/adapters/docker/reap.ts';
import { Scope } from '../../../../runtime/base/scope.ts';

// An engine that is out of order, as far as these two speak with it.

let scope = new Scope();
afterEach(async () => {
  await scope[Symbol.asyncDispose]();
  scope = new Scope();
});

type Answer = (asked: IncomingMessage, response: ServerResponse) => void;

async function engineOf(answers: Readonly<Record<string, Answer>>): Promise<Docker> {
  const server = createServer((asked, response) => {
    const [path = ''] = (asked.url ?? '').split('?');
    const known = Object.entries(answers).find(([route]) => `${asked.method} ${path}`.match(route));
    asked.resume();
    if (known === undefined) response.writeHead(404).end('{}');
    else known[1](asked, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return new Docker({ host: '127.0.0.1', port, protocol: 'http' });
}

function json(value: unknown): Answer {
  return (_, response) => void response.end(JSON.stringify(value));
}

const silent: readonly [string, Answer][] = [
  ['never answers', () => undefined],
  ['stops in the middle', (_, response) => void response.write('{"stream":"Step 1/9"}\n')],
];

test.each(silent)(
  'an image of an engine that %s is not waited for without end',
  async (_, build) => {
    const docker = await engineOf({
      'GET /images/base/json': json({ Id: 'sha256:base' }),
      'POST /build': build,
    });
    const built = ensureImages(docker, { base: 'base', buildMs: 50 });
    await expect(built).rejects.toThrow(/image timeloom-executor:\w+ was not built/);
    await expect(built).rejects.toMatchObject({ code: 'EXEC_FAILED' });
  },
);

// proves: exec.reaped
test('what cannot be removed does not keep the rest from being removed, and is reported', async () => {
  const Labels = { [labelNames.owner]: 'elsewhere/1', [labelNames.deadline]: '0' };
  const removed: string[] = [];
  const remove: Answer = ({ url = '' }, response) => {
    if (url.includes('stuck')) return void response.writeHead(500).end('{"message":"stuck"}');
    removed.push(url.split('?')[0] ?? '');
    response.writeHead(204).end();
  };
  const docker = await engineOf({
    'GET /containers/json': json([
      { Id: 'stuck-1', Labels },
      { Id: 'free-1', Labels },
    ]),
    'GET /volumes': json({
      Volumes: [
        { Name: 'stuck-2', Labels },
        { Name: 'free-2', Labels },
      ],
    }),
    'DELETE /': remove,
  });
  await expect(reap(docker, { nowMs: 1e12 })).rejects.toThrow('stuck');
  expect(removed).toEqual(['/containers/free-1', '/volumes/free-2']);
});
