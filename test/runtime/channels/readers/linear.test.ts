import { expect, test } from 'vitest';
import { type Protocol, protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { threadMs } from '../../../tools/machine-speed.ts';
import { packetOf, text } from './pieces.ts';

const units = ['\n', '```json\n{'];
const short = 6_000;

/** Processor time of the best of five tries: compiling and collecting garbage count, too. */
function msOf(protocol: Protocol, said: string, prose: boolean): number {
  const tries = [1, 2, 3, 4, 5].map(() => {
    const before = threadMs();
    packetOf(protocol, [text(said)], { prose });
    return threadMs() - before;
  });
  return Math.min(...tries);
}

// proves: scanner.linear
test.each(protocols.flatMap((protocol) => units.map((unit) => [protocol, unit] as const)))(
  'in %s, reading a long reply of %j takes time in proportion to its length',
  (protocol, unit) => {
    const said = (chars: number) => unit.repeat(chars / unit.length);
    for (const prose of [false, true]) {
      const once = msOf(protocol, said(short), prose);
      // Four times the text takes four times as long, and sixteen times if the work grows with the square.
      expect(msOf(protocol, said(4 * short), prose)).toBeLessThan(9 * once + 30);
    }
  },
);
