import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import { benchmarkAreas, benchmarkRatios } from './documents.ts';

/** A ratio moves this much from one machine and hour to another; further away, the documents are wrong. */
const driftMax = 3;
const Figure = z.object({ id: z.string(), ratio: z.number() });

/** Runs every benchmark and compares its ratios with docs/benchmarks.md. Ends with 1 when one differs or is missing. */
function main(): number {
  const measured = new Map(benchmarkAreas().flatMap(measure));
  const documented = [...benchmarkRatios()].map(([id, ratio]) => ({ id, ratio: Number(ratio) }));
  const wrong = documented.flatMap(({ id, ratio }) => {
    const now = measured.get(id);
    if (now === undefined) return [`${id}: documented, not measured`];
    const drift = Math.max(now / ratio, ratio / now);
    return drift > driftMax ? [`${id}: documented ${ratio}, measured ${now.toPrecision(3)}`] : [];
  });
  const known = new Set(documented.map(({ id }) => id));
  const silent = [...measured.keys()].filter((id) => !known.has(id));
  for (const line of [...wrong, ...silent.map((id) => `${id}: measured, not documented`)]) {
    process.stdout.write(`${line}\n`);
  }
  return wrong.length + silent.length === 0 ? 0 : 1;
}

function measure(area: string): readonly (readonly [string, number])[] {
  const args = ['deploy/bench.mjs', area, '--json'];
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(output);
  return output
    .trim()
    .split('\n')
    .map((line) => Figure.parse(JSON.parse(line)))
    .map(({ id, ratio }) => [id, ratio] as const);
}

process.exitCode = main();
