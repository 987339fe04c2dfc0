import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Semaphore } from '../../../runtime/base/semaphore.ts';
import { untilAborted } from '../../../runtime/base/signal.ts';
import { canvasCharsMax } from '../../../runtime/tools/limits.ts';
import { RemotePage } from '../../../supervisor/bundle-process/child/remote-page.ts';
import {
  ProcessLost,
  toLostRefusal,
} from '../../../supervisor/bundle-process/parent/process-lost.ts';
import { chunkBytesMax } from '../../../supervisor/bundle-process/rpc/limits.ts';
import { Offers, pullStream } from '../../../supervisor/bundle-process/rpc/streams.ts';
import { openPeers } from './peer-kit.ts';

test('bytes arrive in bounded pieces on demand, and their source closes when the reader stops', async () => {
  const offers = new Offers();
  await using peers = openPeers(offers.handlers());
  let given = 0;
  let over = 0;
  async function* source() {
    try {
      for (;;) {
        given += 1;
        yield new Uint8Array(3 * chunkBytesMax).fill(given);
      }
    } finally {
      over += 1;
    }
  }
  const sizes: number[] = [];
  for await (const piece of pullStream(peers.asking, offers.offer(source()))) {
    sizes.push(piece.length);
    if (sizes.length === 4) break;
  }
  expect(sizes).toEqual(Array(4).fill(chunkBytesMax));
  expect(given).toBe(2);
  for (let n = 0; n < 20 && over === 0; n += 1) await setImmediate();
  expect(over).toBe(1);
});

test('many writes to a page become few messages, and a page that is too long reports it once', async () => {
  const said: string[] = [];
  const page = new RemotePage({ write: (text) => said.push(text), close: () => said.push('·') });
  for (const word of ['a', 'b', 'c']) page.write(word);
  await setImmediate();
  page.write('d');
  page.write('x'.repeat(2 * canvasCharsMax));
  page.write('more');
  await page.close();
  page.write('late');
  await page.close();
  await setImmediate();
  expect(said.map((text) => (text.length > 9 ? text.length : text))).toEqual([
    'abc',
    canvasCharsMax - 2,
    '·',
  ]);
});

test('a limited number runs at the same time and the others in order, even if one fails', async () => {
  const few = new Semaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((n) =>
    few.run(async () => {
      begun.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (n === 0) throw new Error('first');
      return n;
    }),
  );
  const settled = Promise.allSettled(all);
  expect(begun).toEqual([0, 1]);
  for (let n = 0; n < 4; n += 1) {
    ends[n]?.();
    await setImmediate();
  }
  expect(begun).toEqual([0, 1, 2, 3]);
  expect((await settled).map(({ status }) => status)).toEqual([
    'rejected',
    ...Array<string>(3).fill('fulfilled'),
  ]);
});

test('a caller that stops waiting gets the reason at once, and the work continues for others', async () => {
  const stop = new AbortController();
  let finish: (text: string) => void = () => undefined;
  const shared = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const [impatient, patient] = [
    untilAborted(shared, stop.signal),
    untilAborted(shared, new AbortController().signal),
  ];
  stop.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  finish('done');
  expect(await patient).toBe('done');
});

test('a call whose process ended may be repeated if that is harmless, and is in doubt otherwise', () => {
  const refusal = (effects: 'none' | 'keyed' | 'unkeyed') =>
    toLostRefusal(new ProcessLost('it exited'), { id: 'a.b', effects });
  expect([
    refusal('none').retryable,
    refusal('keyed').retryable,
    refusal('unkeyed').retryable,
  ]).toEqual([true, true, false]);
  expect(refusal('unkeyed').message).toBe(
    'The process that ran a.b ended in the middle of the call (it exited). In doubt: it may or may not have had its effect. Check before you call it again.',
  );
});
