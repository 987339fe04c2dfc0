import type { Miss, MissCause } from '../../../timeline/cache/explain.ts';
import { cacheLedger, type LedgerCall } from '../../../timeline/cache/ledger.ts';
import type { CacheEdit } from '../../../timeline/cache/what-if.ts';
import { grouped } from '../../../tools/text/cut-text.ts';
import type { StoredConversation } from './open-conversation.ts';
import { reportWhatIf } from './what-if.ts';

type Options = { readonly json: boolean; readonly whatif: CacheEdit | undefined };

/** Number of most expensive calls that the table lists. */
const callsShown = 10;

const causeTexts: Readonly<Record<MissCause, string>> = {
  new: 'new content since the previous call',
  tail: 'SOURCES and ANNOUNCE, which are never cached',
  cold: 'cached before, but expired',
  prune: 'old turns shortened',
  compact: 'old turns replaced by a memory',
  hide: 'hidden by the agent',
  unhide: 'shown again',
  forget: 'forgotten at the request of the user',
  images: 'attached images changed',
  catalogue: 'tools or skills changed',
  instruction: 'instruction changed',
  model: 'model changed',
  protocol: 'replies have another form',
  renderer: 'another version of Timeloom',
  form: 'another form of the prompt',
  aside: 'separate prompt, such as for a summary',
  provider: 'sent recently and unchanged, but not found in the cache',
  undeclared: 'changed without a declared reason: a defect of Timeloom',
};

/** `timeloom timeline cache`: explains why input tokens were not read from a cache, or what an edit would cost now. */
export async function cache(log: StoredConversation, { json, whatif }: Options): Promise<number> {
  if (whatif !== undefined) return reportWhatIf(log, { json, whatif });
  const calls = cacheLedger(log.blocks);
  if (json) for (const call of calls) process.stdout.write(`${JSON.stringify(toWire(call))}\n`);
  else process.stdout.write(toTable(calls));
  return 0;
}

function toWire({ inputTokens, readTokens, missedTokens, misses, ...call }: LedgerCall): object {
  const tokens = { input_tokens: inputTokens, read_tokens: readTokens };
  return { ...call, ...tokens, missed_tokens: missedTokens, misses };
}

function toTable(calls: readonly LedgerCall[]): string {
  const input = sum(calls.map(({ inputTokens }) => inputTokens));
  const missed = sum(calls.map(({ missedTokens }) => missedTokens));
  const read = percent(input - missed, input);
  const head = `calls: ${calls.length}, input tokens: ${grouped(input)}, read from a cache: ${read}\n`;
  if (missed === 0) return head;
  return [
    head,
    row(['not read', 'share', 'calls', 'cause']),
    ...causes(calls, missed),
    '',
    'the most expensive calls',
    row(['not read', 'of', 'block', 'turn and round']),
    ...mostExpensive(calls),
    '',
  ].join('\n');
}

function causes(calls: readonly LedgerCall[], missed: number): readonly string[] {
  const byCause = new Map<MissCause, { tokens: number; calls: number }>();
  for (const { misses } of calls) {
    for (const [cause, tokens] of tokensByCause(misses)) {
      const known = byCause.get(cause) ?? { tokens: 0, calls: 0 };
      byCause.set(cause, { tokens: known.tokens + tokens, calls: known.calls + 1 });
    }
  }
  return [...byCause]
    .toSorted(([, a], [, b]) => b.tokens - a.tokens)
    .map(([cause, { tokens, calls: count }]) =>
      row([
        grouped(tokens),
        percent(tokens, missed),
        String(count),
        `${cause}: ${causeTexts[cause]}`,
      ]),
    );
}

function mostExpensive(calls: readonly LedgerCall[]): readonly string[] {
  return calls
    .toSorted((a, b) => b.missedTokens - a.missedTokens)
    .slice(0, callsShown)
    .map(({ seq, turn, round, inputTokens, missedTokens, misses }) => {
      const why = [...tokensByCause(misses)].toSorted(([, a], [, b]) => b - a);
      const text = why.map(([cause, tokens]) => `${cause} ${grouped(tokens)}`).join(', ');
      const place = round === undefined ? turn : `${turn} round ${round}`;
      return row([grouped(missedTokens), grouped(inputTokens), String(seq), `${place}: ${text}`]);
    });
}

function tokensByCause(misses: readonly Miss[]): ReadonlyMap<MissCause, number> {
  const found = new Map<MissCause, number>();
  for (const { cause, tokens } of misses) found.set(cause, (found.get(cause) ?? 0) + tokens);
  return found;
}

function row([first, second, third, last]: readonly [string, string, string, string]): string {
  return `${first.padStart(12)}${second.padStart(12)}${third.padStart(9)}  ${last}`;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
