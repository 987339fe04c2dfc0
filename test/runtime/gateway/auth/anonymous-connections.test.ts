import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { AnonymousConnections } from '../../../../runtime/gateway/auth/anonymous-connections.ts';
import {
  anonymousBytesMax,
  anonymousConnectionsMax,
} from '../../../../runtime/gateway/auth/limits.ts';

function opened(connections: AnonymousConnections, count: number): readonly PassThrough[] {
  return Array.from({ length: count }, () => {
    const connection = new PassThrough();
    connections.add(connection);
    return connection;
  });
}

const closed = (all: readonly PassThrough[]) => all.map(({ destroyed }) => destroyed);

// proves: gateway.anonymous-connections
test('one unauthenticated connection too many closes the oldest, never an authenticated one', () => {
  const connections = new AnonymousConnections();
  const [signedIn, oldest, second] = opened(connections, 3);
  if (!(signedIn && oldest && second)) throw new Error('three connections');
  connections.delete(signedIn);
  const others = opened(connections, anonymousConnectionsMax - 2);
  expect(connections.size).toBe(anonymousConnectionsMax);
  expect(closed([signedIn, oldest, second, ...others])).not.toContain(true);
  opened(connections, 1);
  expect(closed([signedIn, oldest, second])).toEqual([false, true, false]);
  expect(closed(others)).not.toContain(true);
});

// proves: gateway.anonymous-connections
test('a connection that closes makes room', async () => {
  const connections = new AnonymousConnections();
  const [first, second] = opened(connections, anonymousConnectionsMax);
  second?.destroy();
  await new Promise((resolve) => second?.once('close', resolve));
  opened(connections, 1);
  expect([connections.size, first?.destroyed]).toEqual([anonymousConnectionsMax, false]);
});

// proves: gateway.anonymous-bytes
test('bytes count until the connection is authenticated', async () => {
  const connections = new AnonymousConnections();
  const [anonymous, signedIn] = opened(connections, 2);
  for (const each of [anonymous, signedIn]) if (each) connections.meter(each);
  if (signedIn) connections.delete(signedIn);
  for (const each of [anonymous, signedIn])
    each?.resume().write(Buffer.alloc(anonymousBytesMax + 1));
  await new Promise((resolve) => anonymous?.once('close', resolve));
  expect(signedIn?.destroyed).toBe(false);
});
