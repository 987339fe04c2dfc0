import type { Readable } from 'node:stream';
import type { Clock } from '../../../runtime/base/clock.ts';
import type { Log } from '../../../runtime/base/log.ts';
import { printedCharsPerMinuteMax, printedLineCharsMax } from '../rpc/limits.ts';

const minuteMs = 60_000;

type Parts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly mask: (text: string) => string;
};

/** Logs the output of a bundle, line by line; output beyond the limit per minute is dropped, with a warning. */
export function logOutput(stream: Readable, { clock, log, mask }: Parts): void {
  let since = clock.monotonic();
  let chars = 0;
  stream.on('error', () => undefined);
  stream.setEncoding('utf8');
  let rest = '';
  const tell = (line: string) => {
    if (clock.monotonic() - since >= minuteMs) {
      since = clock.monotonic();
      chars = 0;
    }
    const before = chars;
    chars += line.length;
    if (chars <= printedCharsPerMinuteMax) log.info('bundle printed', { text: mask(line) });
    else if (before <= printedCharsPerMinuteMax) log.warn('bundle prints too much', { chars });
  };
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, printedLineCharsMax);
    for (const line of lines) tell(line.slice(0, printedLineCharsMax));
  });
  stream.on('end', () => {
    if (rest !== '') tell(rest);
  });
}
