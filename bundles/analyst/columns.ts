import type { Table } from './table.ts';

type Kind = 'date' | 'number' | 'text';
export type Column = {
  readonly name: string;
  readonly kind: Kind;
  readonly missing: number;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly mean?: number;
  /** The most frequent values of a text column. */
  readonly top?: Readonly<Record<string, number>>;
};
/** Means of the number columns over the rows of one year, or of one calendar month of every year. */
export type Group = { readonly rows: number } & Readonly<Record<string, number>>;
const parts = { year: [0, 4], month: [5, 7] } as const;

const topMax = 6;
const isDate = (value: string) => /^\d{4}-\d{2}-\d{2}/.test(value);
const isNumber = (value: string) => value.trim() !== '' && Number.isFinite(Number(value));

/** What one column holds, judged by its values. */
export function describeColumn(table: Table, name: string, decimals: number): Column {
  const all = valuesOf(table, name);
  const values = all.filter((value) => value !== '');
  const missing = all.length - values.length;
  const kind = kindOf(values);
  if (kind === 'text') return { name, kind, missing, top: topOf(values) };
  if (kind === 'date') return { name, kind, missing, ...rangeOf(values.toSorted()) };
  const numbers = values.map(Number);
  const mean = round(meanOf(numbers), decimals);
  return { name, kind, missing, ...rangeOf(numbers.toSorted((a, b) => a - b)), mean };
}

/** Groups by the year or month of the first date column. Without such a column the result is empty. */
export function describeGroups(
  table: Table,
  columns: readonly Column[],
  { part, decimals }: { part: keyof typeof parts; decimals: number },
): readonly Group[] {
  const keys = datesOf(table, columns).map((date) => Number(date.slice(...parts[part])));
  const numbers = columns.filter(({ kind }) => kind === 'number').map(({ name }) => name);
  const series = numbers.map((name) => [name, valuesOf(table, name)] as const);
  return [...new Set(keys)]
    .toSorted((a, b) => a - b)
    .map((key) => {
      const here = <T>(_: T, row: number) => keys[row] === key;
      const means = series.map(([name, values]) => {
        const own = values.filter(here).filter(isNumber).map(Number);
        return [name, round(meanOf(own), decimals)] as const;
      });
      return { [part]: key, rows: keys.filter(here).length, ...Object.fromEntries(means) };
    });
}

/** The rows whose first date falls in one of these calendar months. */
export function onlyMonths(table: Table, months: readonly number[]): Table {
  const dates = datesOf(
    table,
    table.header.map((name) => describeColumn(table, name, 0)),
  );
  const rows = table.rows.filter((_, row) => months.includes(Number(dates[row]?.slice(5, 7))));
  return { header: table.header, rows };
}

function datesOf(table: Table, columns: readonly Column[]): readonly string[] {
  const date = columns.find(({ kind }) => kind === 'date');
  return date ? valuesOf(table, date.name) : [];
}

function valuesOf({ header, rows }: Table, name: string): readonly string[] {
  const index = header.indexOf(name);
  return rows.map((row) => row[index] ?? '');
}

function kindOf(values: readonly string[]): Kind {
  if (values.length > 0 && values.every(isDate)) return 'date';
  return values.length > 0 && values.every(isNumber) ? 'number' : 'text';
}

function rangeOf<T extends string | number>(sorted: readonly T[]): { min?: T; max?: T } {
  const min = sorted[0];
  const max = sorted.at(-1);
  return min === undefined || max === undefined ? {} : { min, max };
}

function topOf(values: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a).slice(0, topMax));
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, value) => sum + value, 0) / Math.max(1, numbers.length);
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
