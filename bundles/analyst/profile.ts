import { defineTool, refuse } from 'timeloom/sdk';
import { z } from 'zod';
import { describeColumn, describeGroups, onlyMonths } from './columns.ts';
import { settings } from './settings.ts';
import { parseTable } from './table.ts';

export const profile = defineTool({
  id: 'weather.profile',
  description:
    'Profiles a CSV file: columns with kind, range, mean and missing values, and where it has dates the means of a row (a day, where rows are days; no sums) for each year, and for each calendar month over all years.',
  input: z.object({
    path: z.string().describe('fi: path of the file'),
    months: z
      .array(z.int().min(1).max(12))
      .optional()
      .describe('only these calendar months, such as [6, 7, 8] for summers'),
  }),
  traits: ['exploration'],
  effects: 'none',
  concurrency: 'safe',
  timeoutMs: 20_000,
  async *run({ path, months }, ctx) {
    const { decimals, rowsMax } = ctx.props(settings);
    const file = await ctx.files.read(path);
    yield { text: `reading ${file.ref.filename}`, fraction: 0.1 };
    const whole = parseTable(await file.text());
    const table = months ? onlyMonths(whole, months) : whole;
    if (table.rows.length === 0) {
      return refuse('not_a_table', `${file.ref.filename} has no rows under a header line.`);
    }
    if (table.rows.length > rowsMax) {
      return refuse(
        'too_long',
        `${file.ref.filename} has ${table.rows.length} rows; at most ${rowsMax} are profiled.`,
      );
    }
    const columns = [];
    for (const [index, name] of table.header.entries()) {
      columns.push(describeColumn(table, name, decimals));
      yield { text: `${name} profiled`, fraction: 0.1 + (0.7 * (index + 1)) / table.header.length };
    }
    yield { text: 'grouping by year and month', fraction: 0.9 };
    return {
      file: file.ref.filename,
      rows: table.rows.length,
      columns,
      by_year: describeGroups(table, columns, { part: 'year', decimals }),
      by_month: describeGroups(table, columns, { part: 'month', decimals }),
    };
  },
});
