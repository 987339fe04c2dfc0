import { expect, test } from 'vitest';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';
import { threadMs } from '../../../tools/machine-speed.ts';
import { packetOf, text } from './pieces.ts';

const units = ['\n', '```json\n{'];
const short = 6_000;

/** Processor time of the best of five tries: compiling and collecting garbage count, too. */
function msOf(read: () => unknown): number {
  const tries = [1, 2, 3, 4, 5].map(() => {
    const before = threadMs();
    read();
    return threadMs() - before;
  });
  return Math.min(...tries);
}

/** Four times the text takes four times as long, and sixteen times if the work grows with the square. */
function expectLinear(read: (times: number) => unknown): void {
  const once = msOf(() => read(1));
  expect(msOf(() => read(4))).toBeLessThan(9 * once + 30);
}

// proves: scanner.linear
test.each(protocols.flatMap((protocol) => units.map((unit) => [protocol, unit] as const)))(
  'in %s, reading a long reply of %j takes time in proportion to its length',
  (protocol, unit) => {
    const said = (times: number) => unit.repeat((times * short) / unit.length);
    for (const prose of [false, true]) {
      expectLinear((times) => packetOf(protocol, [text(said(times))], { prose }));
    }
  },
);

// proves: scanner.linear
test('removing invisible characters takes time in proportion to the length of the text', () => {
  expectLinear((times) => createScanner().push('a\u200bb'.repeat(times * short)));
});
