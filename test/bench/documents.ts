import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const benchmarksRow = /^\| `(?<id>[\w.]+)` \|.*\| (?<ratio>[\d.]+) \| \d+ \|$/gm;
const readmeRow = /^\|[^|]+\| (?<ratio>[\d.]+) \| `npm run bench:\w+` \| `(?<id>[\w.]+)` \|$/gm;

/** The ratios that docs/benchmarks.md states, by figure. */
export function benchmarkRatios(): ReadonlyMap<string, string> {
  return ratiosIn('docs/benchmarks.md', benchmarksRow);
}

/** The ratios that the README's table states, by figure. */
export function readmeRatios(): ReadonlyMap<string, string> {
  return ratiosIn('README.md', readmeRow);
}

function ratiosIn(file: string, row: RegExp): ReadonlyMap<string, string> {
  const rows = readFileSync(join(root, file), 'utf8').matchAll(row);
  return new Map([...rows].map(({ groups = {} }) => [groups['id'] ?? '', groups['ratio'] ?? '']));
}
