import type { Round, Rounds, Turn, Usage } from './wire.ts';

const whole = new Intl.NumberFormat('en');

export function count(value: number): string {
  return whole.format(value);
}

/** `6.4k` */
export function short(value: number): string {
  if (value < 1_000) return String(value);
  return value < 1_000_000
    ? `${(value / 1_000).toFixed(1)}k`
    : `${(value / 1_000_000).toFixed(1)}M`;
}

export function duration(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

export function money(usd: number | undefined): string {
  if (usd === undefined || usd === 0) return '';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** `14:05` today, else `Nov 28, 14:05`, with the year if it is another one. */
export function moment(iso: string, now = new Date()): string {
  const then = new Date(iso);
  const isToday = then.toDateString() === now.toDateString();
  return then.toLocaleString('en', {
    ...{ hour: '2-digit', minute: '2-digit', hour12: false },
    ...(!isToday && { month: 'short', day: 'numeric' }),
    ...(then.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  });
}

/** With seconds: for one block. */
export function exactMoment(iso: string): string {
  const seconds = new Date(iso).toLocaleString('en', { second: '2-digit' }).padStart(2, '0');
  return `${moment(iso)}:${seconds}`;
}

export function inputTokens({
  input_tokens = 0,
  cache_read_tokens = 0,
  cache_write_tokens = 0,
}: Usage): number {
  return input_tokens + cache_read_tokens + cache_write_tokens;
}

/** `86 %` of the input was read from a cache. */
export function cachedShare(usage: Usage): string {
  const all = inputTokens(usage);
  return all === 0 ? '' : `${Math.round((100 * (usage.cache_read_tokens ?? 0)) / all)} %`;
}

/** The round that is looked at: the last one opened at or before a block. */
export function roundAt(turns: readonly Turn[], at: number): Round | undefined {
  return turns.flatMap(({ rounds }) => rounds).findLast(({ seq }) => seq <= at);
}

/** Where a fork is made: after the answer of a turn only its end follows, which belongs to it. */
export function forkPoint({ turns, head }: Pick<Rounds, 'turns' | 'head'>, at: number): number {
  const index = turns.findLastIndex(({ seq }) => seq <= at);
  const { answers = [], reason } = turns[index] ?? {};
  const answer = answers.at(-1)?.block;
  if (reason === undefined || answer === undefined || at < answer) return at;
  return (turns[index + 1]?.seq ?? head + 1) - 1;
}

/** `t3 r2`, for a block. */
export function placeOf(turns: readonly Turn[], block: number): string {
  const turn = turns.findLast(({ seq }) => seq <= block);
  const round = turn?.rounds.findLast(({ seq }) => seq <= block);
  if (!turn) return '';
  return round ? `turn ${turn.name.slice(1)}, round ${round.round}` : `turn ${turn.name.slice(1)}`;
}

/** The last block of a round: everything before the next one. */
export function endOf(rounds: readonly Round[], round: Round, head: number): number {
  const next = rounds[rounds.indexOf(round) + 1];
  return next ? next.seq - 1 : head;
}
