import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeColumn, describeGroups, onlyMonths } from './columns.ts';
import { parseTable } from './table.ts';

const quote = (field: string) =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;

test('written CSV text is read back', () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'b', '"', ',', '\n', ' ') });
  const row = fc.tuple(field, field, field).filter((fields) => fields.some((one) => one !== ''));
  fc.assert(
    fc.property(fc.array(row), fc.constantFrom('\n', '\r\n'), fc.boolean(), (rows, end, last) => {
      const lines = [['x', 'y', 'z'], ...rows].map((fields) => fields.map(quote).join(','));
      const { header, rows: read } = parseTable(lines.join(end) + (last ? end : ''));
      expect(header).toEqual(['x', 'y', 'z']);
      expect(read).toEqual(rows);
    }),
  );
});

test('blank lines and a byte order mark do not count', () => {
  expect(parseTable('\uFEFFa,b\n\n1,\n,\n')).toEqual({ header: ['a', 'b'], rows: [['1', '']] });
  expect(parseTable('')).toEqual({ header: [], rows: [] });
});

const table = parseTable(
  'day,mm,sky\n2024-01-01,1,rain\n2024-01-02,,rain\n2025-01-01,5,sun\n2025-07-01,0,sun\n',
);
const columns = table.header.map((name) => describeColumn(table, name, 1));

test('a column is judged by its values', () => {
  expect(columns).toEqual([
    { name: 'day', kind: 'date', missing: 0, min: '2024-01-01', max: '2025-07-01' },
    { name: 'mm', kind: 'number', missing: 1, min: 0, max: 5, mean: 2 },
    { name: 'sky', kind: 'text', missing: 0, top: { rain: 2, sun: 2 } },
  ]);
});

test('means are computed by year and month over the existing values', () => {
  expect(describeGroups(table, columns, { part: 'month', decimals: 1 })).toEqual([
    { month: 1, rows: 3, mm: 3 },
    { month: 7, rows: 1, mm: 0 },
  ]);
  const summers = describeGroups(onlyMonths(table, [7]), columns, { part: 'year', decimals: 1 });
  expect(summers).toEqual([{ year: 2025, rows: 1, mm: 0 }]);
  const bare = parseTable('a\n1\n');
  expect(describeGroups(bare, [], { part: 'year', decimals: 1 })).toEqual([]);
});
