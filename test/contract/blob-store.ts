import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobInventory, BlobStore } from '../../runtime/timeline/ports/blobs.ts';

const signal = new AbortController().signal;
const encoder = new TextEncoder();
const hello = encoder.encode('hello blob');
const helloHash = `sha256:${createHash('sha256').update(hello).digest('hex')}`;
const absent = `sha256:${'0'.repeat(64)}`;

// proves: blobs.contract
type Store = BlobStore & BlobInventory & AsyncDisposable;
/** A store of its own, and what takes away what it stands on. */
type Broken = {
  readonly store: Store;
  readonly breakDown: () => Promise<void>;
};

/** What every BlobStore promises. */
export function blobStoreContract(
  name: string,
  open: () => Promise<Store>,
  /** Absent: it stands on nothing that could fail. */
  openBroken?: () => Promise<Broken>,
): void {
  describe(`${name} keeps the blob store's promises`, () => {
    let store: Store;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store[Symbol.asyncDispose]();
    });

    test('bytes are named by their hash and come back whole', async () => {
      expect(await store.put('t', hello, { signal })).toEqual({ hash: helloHash, size: 10 });
      const read = await store.get('t', helloHash, { signal });
      expect(new TextDecoder().decode(read)).toBe('hello blob');
    });

    test('a stream is the same blob as its bytes', async () => {
      const ref = await store.put('streamed', chunks('hello', ' ', 'blob'), { signal });
      expect(ref).toEqual({ hash: helloHash, size: 10 });
      expect(await collect(await store.open('streamed', ref.hash, { signal }))).toBe('hello blob');
    });

    test('the same bytes twice, also at once, are one blob', async () => {
      const puts = Array.from({ length: 5 }, () => store.put('twice', hello, { signal }));
      const refs = await Promise.all(puts);
      expect(new Set(refs.map(({ hash }) => hash))).toEqual(new Set([helloHash]));
      expect(await collect(await store.open('twice', helloHash, { signal }))).toBe('hello blob');
    });

    test('no bytes are a blob too', async () => {
      const ref = await store.put('t', new Uint8Array(), { signal });
      expect(ref.size).toBe(0);
      expect(await collect(await store.open('t', ref.hash, { signal }))).toBe('');
    });

    test('a range is a part, its end exclusive', async () => {
      await store.put('t', hello, { signal });
      const parts = [
        [6, 10],
        [0, 1],
        [3, 3],
        [8, 99],
        [10, 12],
        [20, 30],
      ].map(async ([start = 0, end = 0]) =>
        collect(await store.open('t', helloHash, { signal, range: { start, end } })),
      );
      expect(await Promise.all(parts)).toEqual(['blob', 'h', '', 'ob', '', '']);
      const { size } = await store.open('t', helloHash, { signal, range: { start: 0, end: 1 } });
      expect(size).toBe(10);
    });

    // proves: blobs.ranges
    test('a range of a large blob is exactly its bytes', async () => {
      const bytes = Buffer.alloc(3_000_000, '0123456789');
      const { hash } = await store.put('large', bytes, { signal });
      for (const [start, end] of [
        [1_234_567, 1_234_577],
        [2_999_999, 3_000_000],
        [5, 2_500_005],
      ] as const) {
        const { size, stream } = await store.open('large', hash, { signal, range: { start, end } });
        expect(size).toBe(bytes.byteLength);
        const read = await collect({ stream });
        expect(read === bytes.toString('latin1', start, end)).toBe(true);
      }
    });

    test.each([
      [0, 1],
      [3, 3],
    ])('the range from %i to %i of a missing blob is missing', async (start, end) => {
      const opening = store.open('t', absent, { signal, range: { start, end } });
      await expect(opening).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    });

    test.each(['other', '../t', 't/../t', '..', '', 'x'.repeat(400), 'a\0b'])(
      'tenant %j has blobs of its own',
      async (tenant) => {
        await store.put('t', hello, { signal });
        const missing = { code: 'BLOB_MISSING' };
        await expect(store.get(tenant, helloHash, { signal })).rejects.toMatchObject(missing);
        const ref = await store.put(tenant, encoder.encode(`of ${tenant}`), { signal });
        expect(await collect(await store.open(tenant, ref.hash, { signal }))).toBe(`of ${tenant}`);
        await expect(store.get('t', ref.hash, { signal })).rejects.toMatchObject(missing);
      },
    );

    test.each([absent, 'sha256:../../../etc/passwd', 'md5:00', ''])(
      'hash %j is missing',
      async (hash) => {
        const missing = { code: 'BLOB_MISSING' };
        await expect(store.get('t', hash, { signal })).rejects.toMatchObject(missing);
        await expect(store.open('t', hash, { signal })).rejects.toMatchObject(missing);
      },
    );

    // proves: blobs.remove
    test('what is removed is missing, for its tenant alone, and may be put again', async () => {
      const later = Date.now() + 60_000;
      for (const tenant of ['left', 'kept']) await store.put(tenant, hello, { signal });
      const remove = () => store.remove('left', helloHash, { signal, putBefore: later });
      expect(await remove()).toBe(true);
      const missing = { code: 'BLOB_MISSING' };
      await expect(store.get('left', helloHash, { signal })).rejects.toMatchObject(missing);
      expect(await remove()).toBe(true);
      expect(await collect(await store.open('kept', helloHash, { signal }))).toBe('hello blob');
      await store.put('left', hello, { signal });
      expect(await collect(await store.open('left', helloHash, { signal }))).toBe('hello blob');
    });

    test('what was put, or put again, since the time that is named is not removed', async () => {
      await store.put('again', hello, { signal });
      const putBefore = Date.now() - 60_000;
      expect(await store.remove('again', helloHash, { signal, putBefore })).toBe(false);
      expect(await collect(await store.open('again', helloHash, { signal }))).toBe('hello blob');
    });

    test('of puts and removals at once no put is undone', async () => {
      const bytes = encoder.encode('contended');
      const { hash } = await store.put('race', bytes, { signal });
      const putBefore = Date.now() - 60_000;
      const both = Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0
          ? store.put('race', bytes, { signal })
          : store.remove('race', hash, { signal, putBefore }),
      );
      await Promise.all(both);
      expect(await collect(await store.open('race', hash, { signal }))).toBe('contended');
    });

    test.each(['sha256:../../../etc/passwd', 'md5:00', ''])(
      '%j is nothing to remove',
      async (hash) => {
        expect(await store.remove('t', hash, { signal, putBefore: Date.now() })).toBe(true);
      },
    );

    // proves: blobs.list
    test('the blobs of a tenant are listed page by page, each once', async () => {
      const refs = await Promise.all(
        Array.from({ length: 7 }, (_, n) =>
          store.put('listed', encoder.encode(`${n}`), { signal }),
        ),
      );
      await store.put('not listed', hello, { signal });
      const putBefore = Date.now() + 60_000;
      const found: string[] = [];
      const sizes: number[] = [];
      for (let after: string | undefined, more = true; more; more = after !== undefined) {
        const page = await store.list('listed', { putBefore, limit: 3, after, signal });
        found.push(...page.hashes);
        sizes.push(page.hashes.length);
        after = page.next;
      }
      expect(found).toEqual(refs.map(({ hash }) => hash).toSorted());
      expect(Math.max(...sizes)).toBe(3);
    });

    test('a tenant without blobs has an empty list, and young blobs are passed over', async () => {
      const putBefore = Date.now() - 60_000;
      expect(await store.list('empty', { putBefore, limit: 9, signal })).toEqual({ hashes: [] });
      for (const text of ['a', 'b', 'c'])
        await store.put('young', encoder.encode(text), { signal });
      const page = await store.list('young', { putBefore, limit: 2, signal });
      expect(page.hashes).toEqual([]);
      const rest = await store.list('young', { putBefore, limit: 9, after: page.next, signal });
      expect(rest).toEqual({ hashes: [] });
    });

    // proves: blobs.users
    test('the installations that use a store are known, since their first record', async () => {
      const [first] = await store.register('one', { signal });
      expect(first?.installation).toBe('one');
      expect(Math.abs((first?.sinceMs ?? 0) - Date.now())).toBeLessThan(60_000);
      await Promise.all(['two', 'two', '../three'].map((id) => store.register(id, { signal })));
      const users = await store.register('one', { signal });
      expect(users.map(({ installation }) => installation).toSorted()).toEqual([
        ...['../three', 'one', 'two'],
      ]);
      expect(users).toContainEqual(first);
    });

    test('more bytes than allowed are refused and leave nothing', async () => {
      const options = { signal, bytesMax: 7 };
      const tooLarge = { name: 'Refusal', code: 'too_large' };
      await expect(store.put('small', hello, options)).rejects.toMatchObject(tooLarge);
      const streamed = store.put('small', chunks('hello', ' ', 'blob'), options);
      await expect(streamed).rejects.toMatchObject(tooLarge);
      const exact = await store.put('small', chunks('hello', ' b'), options);
      expect(exact.size).toBe(7);
      await expect(store.get('small', helloHash, { signal })).rejects.toMatchObject({
        code: 'BLOB_MISSING',
      });
    });

    test('an aborted put, or a source that fails, leaves nothing', async () => {
      const broken = new Error('source broke');
      await expect(store.put('none', failing(broken), { signal })).rejects.toBe(broken);
      const aborted = AbortSignal.abort(new Error('enough'));
      await expect(store.put('none', hello, { signal: aborted })).rejects.toThrow('enough');
      await expect(store.get('none', helloHash, { signal })).rejects.toMatchObject({
        code: 'BLOB_MISSING',
      });
    });

    // proves: blobs.typed-faults
    if (openBroken === undefined) return;
    test('what it stands on says no: that is a Fault, whatever is asked', async () => {
      const { store: broken, breakDown } = await openBroken();
      await broken.put('t', hello, { signal });
      const { stream } = await broken.open('t', helloHash, { signal });
      await breakDown();
      const unavailable = { code: 'BLOBS_UNAVAILABLE', kind: 'transient' };
      const putBefore = Date.now() + 60_000;
      const rejects = async (doing: Promise<unknown>) =>
        expect(await doing.then(String, (error: unknown) => error)).toMatchObject(unavailable);
      await rejects(broken.put('t', encoder.encode('more'), { signal }));
      await rejects(broken.put('t', chunks('more', 'of it'), { signal }));
      await rejects(broken.get('t', helloHash, { signal }));
      await rejects(broken.open('t', helloHash, { signal }));
      await rejects(broken.list('t', { putBefore, limit: 1, signal }));
      await rejects(broken.register('one', { signal }));
      await rejects(broken.remove('t', helloHash, { signal, putBefore }));
      // What had begun may come whole, or not.
      await collect({ stream }).catch((error: unknown) => expect(error).toMatchObject(unavailable));
      await broken[Symbol.asyncDispose]();
    });
  });
}

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield encoder.encode(text);
}

async function* failing(error: Error): AsyncIterable<Uint8Array> {
  yield hello;
  throw error;
}

async function collect({ stream }: { stream: AsyncIterable<Uint8Array> }): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}
