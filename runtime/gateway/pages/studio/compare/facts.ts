import { cachedShare, count, duration, inputTokens, money } from '../data/format.ts';
import type { Turn } from '../data/wire.ts';

/** A fact of two runs, with the difference where it is a number. */
export type FactRow = {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly difference: string;
  /** More of it is worse, so a positive difference is shown as such. */
  readonly change?: 'more' | 'less' | undefined;
};

type Measure = {
  readonly name: string;
  readonly of: (turn: Turn) => number | undefined;
  readonly show: (value: number) => string;
};

const measures: readonly Measure[] = [
  { name: 'rounds', of: ({ rounds }) => rounds.length, show: count },
  { name: 'calls of tools', of: callsOf, show: count },
  { name: 'input tokens', of: ({ usage }) => inputTokens(usage), show: count },
  { name: 'output tokens', of: ({ usage }) => usage.output_tokens ?? 0, show: count },
  { name: 'time', of: ({ ms }) => ms, show: duration },
  { name: 'cost', of: ({ usage }) => usage.cost_usd ?? 0, show: (usd) => money(usd) || '$0' },
];

export function factRows(a: Turn, b: Turn): readonly FactRow[] {
  return [
    textRow('model', modelsOf(a), modelsOf(b)),
    textRow('agent', a.agent ?? '', b.agent ?? ''),
    textRow('end', a.reason ?? 'at work', b.reason ?? 'at work'),
    ...measures.map((measure) => measureRow(measure, a, b)),
    cachedRow(cachedShare(a.usage), cachedShare(b.usage)),
  ];
}

function textRow(name: string, a: string, b: string): FactRow {
  return { name, a, b, difference: a === b ? 'same' : 'other' };
}

function cachedRow(a: string, b: string): FactRow {
  const points = Number.parseInt(b, 10) - Number.parseInt(a, 10);
  const difference = `${points > 0 ? '+' : '−'}${Math.abs(points)} points`;
  const known = { name: 'read from a cache', a, b };
  if (Number.isNaN(points)) return { ...known, difference: '' };
  return { ...known, difference: points === 0 ? 'same' : difference };
}

function measureRow({ name, of, show }: Measure, a: Turn, b: Turn): FactRow {
  const [one, two] = [of(a), of(b)];
  const shown = (value: number | undefined) => (value === undefined ? '' : show(value));
  const known = { name, a: shown(one), b: shown(two) };
  if (one === undefined || two === undefined) return { ...known, difference: '' };
  if (one === two) return { ...known, difference: 'same' };
  const sign = two > one ? '+' : '−';
  const percent = one === 0 ? '' : ` (${sign}${Math.round((100 * Math.abs(two - one)) / one)} %)`;
  const difference = `${sign}${show(Math.abs(two - one))}${percent}`;
  return { ...known, difference, change: two > one ? 'more' : 'less' };
}

function callsOf({ rounds }: Turn): number {
  return rounds.flatMap(({ steps }) => steps).filter(({ kind }) => isCall(kind)).length;
}

function isCall(kind: string): boolean {
  return kind !== 'model' && kind !== 'approval';
}

function modelsOf({ rounds }: Turn): string {
  return [...new Set(rounds.flatMap(({ model }) => model ?? []))].join(', ');
}
