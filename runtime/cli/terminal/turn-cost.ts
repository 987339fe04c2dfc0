import { fieldsOf } from '../../client/events/to-event.ts';
import { seconds } from '../../engine/inspect/block-summary.ts';
import { grouped } from '../../tools/text/cut-text.ts';

/** What turns took, as the provider counts: input tokens that were read from its cache are not in `input`. */
export type Cost = {
  readonly ms: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly usd: number;
};

export const noCost: Cost = { ms: 0, input: 0, cached: 0, output: 0, usd: 0 };

/** The cost of a turn, from the event that ended it. */
export function costOf(data: Readonly<Record<string, unknown>>, ms: number): Cost {
  const usage = fieldsOf(data['usage']);
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0);
  return {
    ms,
    input: count('input_tokens') + count('cache_write_tokens'),
    cached: count('cache_read_tokens'),
    output: count('output_tokens'),
    usd: count('cost_usd'),
  };
}

export function sum(left: Cost, right: Cost): Cost {
  return {
    ms: left.ms + right.ms,
    input: left.input + right.input,
    cached: left.cached + right.cached,
    output: left.output + right.output,
    usd: left.usd + right.usd,
  };
}

/** For example `12.4 s · 53,210 tokens · 81 % cached · $0.03`. */
export function costLine({ ms, input, cached, output, usd }: Cost): string {
  const sent = input + cached;
  return [
    seconds(ms),
    sent + output > 0 ? `${grouped(sent + output)} tokens` : '',
    cached > 0 ? `${Math.round((100 * cached) / sent)} % cached` : '',
    usd > 0 ? `$${usd.toFixed(usd < 0.1 ? 4 : 2)}` : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
