import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { check } from '../../../../runtime/gateway/inspection/checks.ts';
import { contentOf } from '../../../../runtime/gateway/inspection/content.ts';
import { Inspector } from '../../../../runtime/gateway/inspection/inspector.ts';
import { CheckThreads } from '../../../../runtime/gateway/inspection/threads.ts';
import { accepted, images, pdfOf } from './documents.ts';

const { signal } = new AbortController();
let inspector: Inspector;
beforeAll(() => {
  inspector = new Inspector();
});
afterAll(() => inspector[Symbol.asyncDispose]());

type Edit = { readonly at: number; readonly cut: number; readonly bytes: Uint8Array };

/** A valid file in which some places hold something else, or nothing. */
const mutated = fc
  .tuple(
    fc.constantFrom(...accepted),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        cut: fc.nat(40),
        bytes: fc.uint8Array({ maxLength: 40 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([[name, mime, bytes], edits]) => ({ name, mime, bytes: edits.reduce(edited, bytes) }));

function edited(file: Buffer, { at, cut, bytes }: Edit): Buffer {
  const place = Math.floor(at * file.length);
  return Buffer.concat([file.subarray(0, place), bytes, file.subarray(place + cut)]);
}

// proves: attachments.verdict
test('a mutated file is accepted as its type or refused with a reason', async () => {
  await fc.assert(
    fc.asyncProperty(mutated, async ({ name, mime, bytes }) => {
      const found = await inspector.inspect({ name, mime }, contentOf(bytes), { signal });
      if ('reason' in found)
        expect(found.message).toMatch(/^(is|has|contains|cannot|refers|loads|starts|unpacks)\b/);
      else expect(found.mime).toBe(mime);
    }),
    { numRuns: 300 },
  );
});

// proves: attachments.verdict
test('parsing a broken file ends in a verdict and takes little processor time', async () => {
  const libraries = ['package', 'pdf', 'type'] as const;
  let longestMs = 0;
  // The first use of each loads its library.
  for (const [, , bytes] of accepted)
    for (const kind of libraries) await check({ kind, bytes, pagesMax: 1 });
  await fc.assert(
    fc.asyncProperty(mutated, fc.constantFrom(...libraries), async ({ bytes }, kind) => {
      const before = process.cpuUsage();
      const result = await check({ kind, bytes, pagesMax: 500 });
      const { user, system } = process.cpuUsage(before);
      longestMs = Math.max(longestMs, (user + system) / 1000);
      expect('mime' in result || 'flaw' in result).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(longestMs).toBeLessThan(1_000);
});

const heavy = () => {
  const objects = Array.from({ length: 90_000 }, () => '<</A[1 2 3]/B<</C(d)>>>>');
  return { kind: 'pdf', bytes: pdfOf({ objects }), pagesMax: 500 } as const;
};

// proves: attachments.isolated
test('a file whose check exceeds the time limit is refused', async () => {
  await using threads = new CheckThreads({ deadlineMs: 20 });
  const found = await threads.check(heavy(), { signal });
  expect(found).toMatchObject({ flaw: { reason: 'too_complex' } });
});

// proves: attachments.isolated
test('a stopped check ends its thread, and the next file gets another', async () => {
  await using threads = new CheckThreads();
  const stop = new AbortController();
  const checking = threads.check(heavy(), { signal: stop.signal });
  // The check goes on beside the event loop, which is free to stop it.
  setImmediate(() => stop.abort(new Error('enough')));
  await expect(checking).rejects.toThrow('enough');
  const image = { kind: 'type', bytes: images.png } as const;
  expect(await threads.check(image, { signal })).toEqual({ mime: 'image/png' });
});

// proves: attachments.isolated
test('a file that exceeds the memory limit ends its thread and nothing else', async () => {
  await using threads = new CheckThreads({ heapMb: 24 });
  expect(await threads.check(heavy(), { signal })).toMatchObject({
    flaw: { reason: 'too_complex' },
  });
});
