import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTime } from '../../../../runtime/tools/react/memsearch/parse-time.ts';

/** A Wednesday. */
const now = '2026-03-18T15:30:00.000Z';

// proves: memory.when
test.each([
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01T09:30', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01 09:30:15.5Z', '2026-03-01T09:30:15.500Z'],
  ['2026-03-01T09:30+02:00', '2026-03-01T07:30:00.000Z'],
  ['now', now],
  ['Today', '2026-03-18T00:00:00.000Z'],
  ['yesterday', '2026-03-17T00:00:00.000Z'],
  ['3 days ago', '2026-03-15T15:30:00.000Z'],
  ['an hour ago', '2026-03-18T14:30:00.000Z'],
  ['2h', '2026-03-18T13:30:00.000Z'],
  ['two weeks ago', '2026-03-04T15:30:00.000Z'],
  ['1 month ago', '2026-02-18T15:30:00.000Z'],
  ['a year ago', '2025-03-18T15:30:00.000Z'],
  ['this week', '2026-03-16T00:00:00.000Z'],
  ['last week', '2026-03-09T00:00:00.000Z'],
  ['last month', '2026-02-01T00:00:00.000Z'],
  ['last year', '2025-01-01T00:00:00.000Z'],
  ['monday', '2026-03-16T00:00:00.000Z'],
  ['last wednesday', '2026-03-11T00:00:00.000Z'],
])('%s is %s', (text, at) => {
  expect(parseTime(text, now)).toBe(at);
});

test('a month before a day that the earlier month does not have is the last day of that month', () => {
  expect(parseTime('1 month ago', '2026-03-31T10:00:00.000Z')).toBe('2026-02-28T10:00:00.000Z');
});

test.each([
  '',
  'soon',
  '2026-02-30',
  '2026-13-01',
  '99999999 days ago',
  "'; drop table",
  '1e9 days',
])('“%s” is not a time', (text) => expect(parseTime(text, now)).toBeUndefined());

test('any text gives an ISO 8601 time or undefined, whatever the clock says', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.tuple(fc.nat(), fc.constantFrom('d', 'months ago', 'years ago')).map((x) => x.join(' ')),
      ),
      fc.date({ noInvalidDate: true }),
      (text, date) => {
        const at = parseTime(text, date.toISOString());
        expect(at === undefined || new Date(at).toISOString() === at).toBe(true);
      },
    ),
  );
});
