import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Fault } from '../../../runtime/base/fault.ts';
import type { Json } from '../../../runtime/base/json.ts';
import { Refusal } from '../../../runtime/base/refusal.ts';
import { Cancelled } from '../../../runtime/base/signal.ts';
import { messageCharsMax, partCharsMax } from '../../../supervisor/bundle-process/rpc/limits.ts';
import { method, on, type Peer } from '../../../supervisor/bundle-process/rpc/peer.ts';
import { encodeFrame } from '../../../supervisor/protocol/frame.ts';
import { runs } from '../../tools/runs.ts';
import { openPeers } from './peer-kit.ts';

const AnyJson = z.custom<Json>(() => true);
const echo = method('echo', AnyJson, AnyJson);
const fails = method('fails', z.string(), z.void());
const asksBack = method('asks_back', z.number(), z.number());
const half = method('half', z.number(), z.number());
const note = method(
  'note',
  z.string(),
  z.custom<void>(() => true),
);

const errors: Readonly<Record<string, Error>> = {
  refusal: new Refusal('closed', 'We are closed.', { retryable: true, retryAfterMs: 5 }),
  fault: new Fault('SECRET_MISSING', { because: 'KEY', inner: 'not for others' }),
  cancelled: new Cancelled('steer'),
  other: new TypeError('boom'),
};
const noted: string[] = [];
const handlers = new Map([
  on(echo, (value) => value),
  on(fails, (how) => Promise.reject(errors[how] ?? new Error(how))),
  on(asksBack, async (n, peer: Peer) => 2 * (await peer.ask(half, n))),
  on(note, (text) => {
    noted.push(text);
    throw new Error('nobody waits for this');
  }),
]);
const own = new Map([on(half, (n) => n / 2)]);

test('any JSON returns unchanged, also with many requests at the same time', async () => {
  await using peers = openPeers(handlers);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 20, maxLength: 40 }), async (all) => {
      const plain = JSON.parse(JSON.stringify(all)) as Json[];
      const answers = await Promise.all(plain.map((each) => peers.asking.ask(echo, each)));
      expect(answers).toEqual(plain);
    }),
    runs(5),
  );
});

test('a message of many frames arrives complete, wherever it is split', async () => {
  await using peers = openPeers(handlers);
  for (const text of [
    '\u{1f600}'.repeat(partCharsMax),
    `${'x'.repeat(partCharsMax - 9)}\ud83d"\\`,
  ]) {
    expect(await peers.asking.ask(echo, text)).toBe(text);
  }
});

test('a message that is too long is refused by the sender, and the stream continues', async () => {
  await using peers = openPeers(handlers);
  const long = 'x'.repeat(messageCharsMax);
  await expect(peers.asking.ask(echo, long)).rejects.toMatchObject({ code: 'too_large' });
  expect(await peers.asking.ask(echo, 'short')).toBe('short');
});

test('an error keeps its family, and of a fault’s detail only the reason', async () => {
  await using peers = openPeers(handlers);
  const failed = async (how: string) =>
    await peers.asking.ask(fails, how).then(
      () => undefined,
      (error: unknown) => error,
    );
  const refusal = { code: 'closed', message: 'We are closed.', retryable: true, retryAfterMs: 5 };
  expect(await failed('refusal')).toMatchObject(refusal);
  expect(await failed('fault')).toMatchObject({
    code: 'SECRET_MISSING',
    detail: { because: 'KEY' },
  });
  expect(JSON.stringify(await failed('fault'))).not.toContain('not for others');
  expect(await failed('cancelled')).toMatchObject({ why: 'steer' });
  expect(await failed('other')).toMatchObject({ message: 'boom' });
});

test('the other side can send a request before it answers', async () => {
  await using peers = openPeers(handlers, own);
  expect(await peers.asking.ask(asksBack, 21)).toBe(21);
});

test('a notification is handled, and its failure is ignored', async () => {
  await using peers = openPeers(handlers);
  expect(peers.asking.notify(note, 'one')).toBe(true);
  await peers.asking.ask(echo, null);
  expect(noted).toEqual(['one']);
});

test('an end rejects all pending and later requests', async () => {
  const never = new Map([on(echo, () => new Promise<Json>(() => undefined))]);
  await using peers = openPeers(never);
  const waiting = peers.asking.ask(echo, 1);
  peers.asking.end(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(peers.asking.ask(echo, 2)).rejects.toThrow('gone');
  expect(peers.asking.notify(note, 'late')).toBe(false);
});

test.each([
  ['a method that is not there', encodeFrame({ do: 'open_door', with: {} })],
  ['no message', encodeFrame({ hello: 1 })],
  ['a long message that is not JSON', Buffer.concat([encodeFrame('{"do'), encodeFrame(null)])],
  ['a frame over the limit', Buffer.from([0x7f, 0xff, 0xff, 0xff])],
])('%s violates the protocol', async (_, bytes) => {
  await using peers = openPeers(handlers);
  peers.here.write(bytes);
  expect(await peers.ended[1]).toMatchObject({ code: 'EXEC_PROTOCOL' });
});

test('an answer without a request is ignored', async () => {
  await using peers = openPeers(handlers);
  peers.here.write(encodeFrame({ re: 77, ok: 1 }));
  expect(await peers.asking.ask(echo, 3)).toBe(3);
});
