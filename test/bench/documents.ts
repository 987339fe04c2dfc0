import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const benchmarksRow = /^\| `(?<id>[\w.]+)` \|.*\| (?<ratio>[\d.]+) \| \d+ \|$/gm;
const readmeRow = /^\|[^|]+\| (?<ratio>[\d.]+) \| `npm run bench:\w+` \| `(?<id>[\w.]+)` \|$/gm;

/** The areas that a command `bench:…` measures. */
export function benchmarkAreas(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(manifest);
  const named = Object.entries(scripts).flatMap(([name, command]) =>
    name.startsWith('bench:') ? command.split(' ').slice(2) : [],
  );
  return [...new Set(named)];
}

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
