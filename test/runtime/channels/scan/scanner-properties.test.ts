import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChannelEvent } from '../../../../runtime/channels/protocol/channel.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';
import { runs } from '../../../tools/runs.ts';
import { scan } from './scan.ts';

// proves: scanner.any-cut, scanner.linear

const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '<channel:thinking>',
      '</channel:thinking>',
      '<channel:action>',
      '</channel:action>',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '<channel:code id="a">',
      '</channel:code id="a">',
      '<channel:code>',
      '</channel:code>',
      '<channel:x>',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '`',
      '``',
      '```',
      '\n',
      '"',
      '\\',
      '{"a":',
      '}',
      ' ',
      '<',
      '</',
      '<channel:',
      '>',
      '😀',
      '\u200b',
      '\u200d',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);
const output = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

test('any split of the text gives the same events', () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat(12), { minLength: 1 }), (whole, cuts) => {
      expect(joined(scanCut(whole, cuts))).toEqual(joined(scan(whole)));
    }),
    runs(2000),
  );
});

test('a character is the same in a delta of its own as in a long text', () => {
  const every = Array.from({ length: 0x10000 }, (_, code) => `a${String.fromCharCode(code)}b`);
  const deltas = ['<channel:summary>', ...every, '</channel:summary>'];
  const scanner = createScanner();
  const events = deltas.flatMap((delta) => scanner.push(delta));
  expect(textOf([...events, ...scanner.end()])).toBe(textOf(scan(deltas.join(''))));
});

test('for any output, instances open once, close once and contain their text in between', () => {
  fc.assert(
    fc.property(output, (whole) => {
      let open: string | undefined;
      for (const event of scan(whole)) {
        if (event.kind === 'notice') continue;
        const name = `${event.channel} ${event.instance}`;
        expect(open).toBe(event.kind === 'opened' ? undefined : name);
        open = event.kind === 'closed' ? undefined : name;
      }
      expect(open).toBeUndefined();
    }),
  );
});

test('the work is linear in the length of the output', () => {
  const nasty = [
    '<',
    '</channel:thinkin',
    '`</channel:thinking>',
    '<channel:thinking>` ',
    '`a``',
    '\n```\n',
    '{"a":"<',
  ];
  for (const unit of nasty) {
    for (const prefix of ['<channel:thinking>', '<channel:action>', '']) {
      const long = prefix + unit.repeat(4000);
      const scanner = createScanner();
      for (let i = 0; i < long.length; i += 4) scanner.push(long.slice(i, i + 4));
      scanner.end();
      expect(scanner.steps).toBeLessThan(4 * long.length);
    }
  }
});

function scanCut(whole: string, cuts: readonly number[]): ChannelEvent[] {
  const scanner = createScanner();
  const events: ChannelEvent[] = [];
  for (let at = 0, i = 0; at < whole.length; i += 1) {
    const next = at + (cuts[i % cuts.length] ?? 0) + (i % cuts.length === 0 ? 1 : 0);
    events.push(...scanner.push(whole.slice(at, next)));
    at = next;
  }
  return [...events, ...scanner.end()];
}

/** Neighbouring texts of one instance made one. */
/** What all events together say, and where channels open and close. */
function textOf(events: readonly ChannelEvent[]): string {
  return events.map((event) => (event.kind === 'text' ? event.text : `[${event.kind}]`)).join('');
}

function joined(events: readonly ChannelEvent[]): ChannelEvent[] {
  const out: ChannelEvent[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if (event.kind === 'text' && last?.kind === 'text') {
      out[out.length - 1] = { ...last, text: last.text + event.text };
    } else out.push(event);
  }
  return out;
}
