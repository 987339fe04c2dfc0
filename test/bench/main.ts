import type { Area, Measured } from './area.ts';
import { benchCache } from './cache/bench.ts';
import { benchEmbedded } from './embedded.ts';
import { benchEndpoints } from './endpoints.ts';
import { benchExec } from './exec/bench.ts';
import type { Figure } from './figure.ts';
import { benchLive, quickSizes, thousandStreams } from './live/bench.ts';
import { benchLoop } from './loop/bench.ts';
import { benchMemsearch } from './memsearch/bench.ts';
import { benchRounds } from './rounds.ts';
import { benchScanner } from './scanner.ts';
import { benchStore } from './store.ts';
import { benchSupervisors } from './supervisors.ts';
import { benchTimeline } from './timeline/bench.ts';

const areas: Readonly<Record<string, Area>> = {
  scanner: () => ({ figures: benchScanner() }),
  rounds: () => ({ figures: benchRounds() }),
  store: benchStore,
  cache: benchCache,
  timeline: benchTimeline,
  exec: benchExec,
  supervisors: benchSupervisors,
  embedded: benchEmbedded,
  live: benchLive(),
  'live-quick': benchLive(quickSizes),
  'live-thousand': benchLive(thousandStreams),
  loop: benchLoop,
  endpoints: () => ({ figures: benchEndpoints() }),
  memsearch: benchMemsearch(100_000),
  'memsearch-quick': benchMemsearch(5_000),
  'memsearch-million': benchMemsearch(1_000_000),
};

/** Take long, or say little: only when they are named. */
const onlyAsked = new Set(['live-quick', 'live-thousand', 'memsearch-quick', 'memsearch-million']);

/**
 * `[area…] [--json]`: without an area all of them; a table, or one line of JSON per figure. Ends with 1 when something
 * could not be measured although the machine has what it takes.
 */
async function main(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  const asked = args.filter((arg) => !arg.startsWith('--'));
  const unknown = asked.filter((name) => !(name in areas));
  if (unknown.length > 0) {
    process.stderr.write(
      `no area ${unknown.join(', ')}; there are ${Object.keys(areas).join(', ')}\n`,
    );
    return 2;
  }
  if (!json) process.stdout.write(header);
  let exitCode = 0;
  for (const [name, area] of Object.entries(areas)) {
    if (asked.length === 0 ? onlyAsked.has(name) : !asked.includes(name)) continue;
    const measured = await area();
    print(measured, json);
    if (measured.missing?.some(({ isExpected }) => !isExpected)) exitCode = 1;
  }
  return exitCode;
}

function print({ figures, missing = [] }: Measured, json: boolean): void {
  for (const figure of figures) {
    process.stdout.write(json ? `${JSON.stringify(figure)}\n` : row(figure));
  }
  for (const { line } of missing) process.stderr.write(`${line}\n`);
}

const header = `${'figure'.padEnd(40)}${['ours', 'theirs', 'ratio', 'n'].map((word) => word.padStart(11)).join('')}  unit\n`;

function row({ id, ours, theirs, ratio, unit, n }: Figure): string {
  const numbers = [rounded(ours), rounded(theirs), rounded(ratio), String(n)];
  return `${id.padEnd(40)}${numbers.map((text) => text.padStart(11)).join('')}  ${unit}\n`;
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

process.exitCode = await main(process.argv.slice(2));
