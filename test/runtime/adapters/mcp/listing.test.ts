import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backoff } from '../../../../runtime/adapters/mcp/connection/backoff.ts';
import {
  emptyListing,
  markMissing,
  updateListing,
  visibleTools,
} from '../../../../runtime/adapters/mcp/connection/listing.ts';
import { absenceMsMax } from '../../../../runtime/adapters/mcp/tools/limits.ts';
import type { ServerTool } from '../../../../runtime/adapters/mcp/tools/read-tools.ts';
import { only } from './read-kit.ts';

const tool = (name: string, description = '') =>
  only({ name, description, inputSchema: { type: 'object' } });
const names = (listing: Parameters<typeof visibleTools>[0], nowMs: number) =>
  visibleTools(listing, nowMs).map(({ name }) => name);

// proves: mcp.no-flapping
test('tools that vanish for a moment stay in the catalogue, and are the same objects when they are back', () => {
  const first = updateListing(emptyListing, [tool('a'), tool('b')], 0);
  const lost = markMissing(first, 1_000);
  expect(visibleTools(lost, 1_000 + absenceMsMax - 1)).toEqual(visibleTools(first, 0));
  const back = updateListing(lost, [tool('a'), tool('b')], 30_000);
  expect(visibleTools(back, 40_000).every((each, i) => each === visibleTools(first, 0)[i])).toBe(
    true,
  );
});

test('what is gone for longer is hidden, what appears is shown at once', () => {
  const first = updateListing(emptyListing, [tool('a')], 0);
  const second = updateListing(first, [tool('b')], 10);
  expect(names(second, 10)).toEqual(['a', 'b']);
  expect(names(second, 10 + absenceMsMax)).toEqual(['b']);
});

test('losing a server twice does not make its tools stay longer', () => {
  const first = updateListing(emptyListing, [tool('a')], 0);
  const twice = markMissing(markMissing(first, 0), absenceMsMax / 2);
  expect(names(twice, absenceMsMax)).toEqual([]);
});

test('a tool that is another now is another object', () => {
  const first = updateListing(emptyListing, [tool('a', 'Old.')], 0);
  expect(visibleTools(updateListing(first, [tool('a', 'New.')], 1), 1)[0]?.description).toBe(
    'New.',
  );
});

const known: Readonly<Record<string, ServerTool>> = { a: tool('a'), b: tool('b'), c: tool('c') };

test('under any history, what was listed within the time of an absence is shown, and nothing that never was', () => {
  const event = fc.record({
    afterMs: fc.nat(2 * absenceMsMax),
    listed: fc.option(fc.subarray(['a', 'b', 'c'])),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (history) => {
      let [listing, nowMs] = [emptyListing, 0];
      const seen = new Map<string, number>();
      let present: readonly string[] = [];
      for (const { afterMs, listed } of history) {
        nowMs += afterMs;
        for (const name of present) seen.set(name, nowMs);
        present = listed ?? [];
        listing = listed
          ? updateListing(
              listing,
              listed.map((name) => known[name] ?? tool(name)),
              nowMs,
            )
          : markMissing(listing, nowMs);
        const wanted = ['a', 'b', 'c'].filter(
          (name) => present.includes(name) || nowMs - (seen.get(name) ?? -Infinity) < absenceMsMax,
        );
        expect(names(listing, nowMs)).toEqual(wanted);
      }
    }),
  );
});

test('pauses start at zero, double up to the limit, and reset after a quiet time', () => {
  const pauses = new Backoff({ min: 1_000, max: 4_000 });
  const taken = [0, 0, 1_000, 3_000, 7_000, 11_000].map((nowMs) => pauses.next(nowMs));
  expect(taken).toEqual([0, 1_000, 2_000, 4_000, 4_000, 4_000]);
  expect(pauses.next(100_000)).toBe(0);
});
