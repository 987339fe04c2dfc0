import { z } from 'zod';
import { isJsonObject } from '../../../base/json.ts';
import type { MemoryRange } from '../../../timeline/ports/store.ts';
import type { CallContext } from '../../ports/tool.ts';
import { cutText } from '../../text/cut-text.ts';
import {
  memsearchDaysMax,
  memsearchHitsDefault,
  memsearchHitsMax,
  memsearchOrdinalMax,
  memsearchQueryCharsMax,
  memsearchSearchDays,
} from './limits.ts';
import { parseTime } from './parse-time.ts';

const targets = z.enum(['assistant', 'user', 'attachment', 'summary', 'notes']);
/** The search left out some of what is kept. */
export function hasMoreTargets({ targets: chosen }: Input): boolean {
  return new Set(chosen).size < targets.options.length;
}

const when = z.string().max(64);
// Out-of-range weights are clamped.
const weight = z
  .number()
  .meta({ minimum: 0, maximum: 2 })
  .transform((value) => Math.min(2, Math.max(0, value)));

/** In the order shown to the model. */
export const MemsearchInput = z.object({
  query: z.string().default('').describe('words or a question'),
  targets: z.array(targets).min(1).default(['assistant', 'user', 'attachment', 'summary']),
  scope: z
    .enum(['conversation', 'user', 'agent'])
    .default('conversation')
    .describe('user: all conversations of the user; agent: those you worked in'),
  mode: z
    .enum(['hybrid', 'semantic', 'timeline', 'ordinal', 'temporal'])
    .optional()
    .meta({ unlisted: true }),
  from: when.optional().describe('a date, yesterday, 3 days ago'),
  to: when.optional().describe('exclusive'),
  ordinal: z
    .int()
    .min(-memsearchOrdinalMax)
    .max(memsearchOrdinalMax)
    .optional()
    .describe('1: first turn, -1: the last before this one'),
  order: z.enum(['asc', 'desc']).optional().describe('oldest or newest first'),
  top_k: z.int().min(1).max(memsearchHitsMax).default(memsearchHitsDefault).describe('turns'),
  days: z.int().min(1).max(memsearchDaysMax).optional().meta({ unlisted: true }),
  include_recovery_sessions: z.boolean().default(false).meta({ unlisted: true }),
  rank_weights: z
    .object({ semantic: weight, lexical: weight, recency: weight })
    .partial()
    .default({})
    .meta({ unlisted: true }),
});
export type Input = z.output<typeof MemsearchInput>;

export type Mode = 'hybrid' | 'timeline' | 'ordinal' | 'temporal';
/** The query after contradictions are resolved; `warnings` list them. */
export type MemoryQuery = {
  readonly mode: Mode;
  readonly text: string;
  readonly range: MemoryRange;
  readonly order: 'asc' | 'desc';
  /** From 1, in `order`. */
  readonly ordinal: number;
  readonly warnings: readonly string[];
};

/** The query, or a string that says what is wrong with the input. */
export function toMemoryQuery(input: Input, context: CallContext): MemoryQuery | string {
  const text = cutText(input.query.toWellFormed().trim(), memsearchQueryCharsMax);
  const mode = modeOf(input, text);
  const times = timesOf(input, { now: context.now, mode });
  if (typeof times === 'string') return times;
  const { ordinal: said, order: asked } = input;
  const last = said !== undefined && said < 0;
  const first: 'asc' | 'desc' = mode === 'ordinal' ? 'asc' : 'desc';
  const order = last ? 'desc' : (asked ?? first);
  const ordinal = Math.max(1, Math.abs(said ?? 1));
  const warnings = [...times.warnings, ...contradictions(input, { mode, text })];
  return {
    mode,
    text,
    range: { ...rangeOf(input, context), ...times.bounds },
    order,
    ordinal,
    warnings,
  };
}

function modeOf({ mode, ordinal, from, to }: Input, text: string): Mode {
  if (mode === 'timeline' || mode === 'ordinal' || mode === 'temporal') return mode;
  if (mode === undefined && ordinal !== undefined) return 'ordinal';
  if (text !== '') return 'hybrid';
  return from !== undefined || to !== undefined ? 'temporal' : 'timeline';
}

function contradictions(
  { mode, ordinal, query }: Input,
  { mode: meant, text }: { mode: Mode; text: string },
): readonly string[] {
  const ignored =
    meant !== 'hybrid' && text !== '' ? [`The query is not used ${userOf(mode)}.`] : [];
  const cut =
    meant === 'hybrid' && query.trim().length > text.length
      ? [`Only the first ${memsearchQueryCharsMax} characters of the query were looked for.`]
      : [];
  const wordless =
    (mode === 'hybrid' || mode === 'semantic') && text === ''
      ? [`Without a query mode ${mode} is ${meant}.`]
      : [];
  const unused =
    ordinal !== undefined && meant !== 'ordinal' ? [`ordinal is not used by mode ${meant}.`] : [];
  const zero =
    meant === 'ordinal' && ordinal === 0
      ? ['Turns are counted from 1; the first one is shown.']
      : [];
  return [...ignored, ...cut, ...wordless, ...unused, ...zero];
}

/** Only a caller that gave a mode knows that there is one. */
function userOf(mode: Input['mode']): string {
  return mode === undefined ? 'with ordinal' : `by mode ${mode}`;
}

type Times = {
  readonly bounds: { from?: string; to?: string };
  readonly warnings: readonly string[];
};

function timesOf(input: Input, { now, mode }: { now: string; mode: Mode }): Times | string {
  const { from, to, days = mode === 'hybrid' ? memsearchSearchDays : memsearchDaysMax } = input;
  const [start, end] = [from, to].map((text) => text && parseTime(text, now));
  if (from !== undefined && !start) return `from “${from}” is not a time; ${forms}`;
  if (to !== undefined && !end) return `to “${to}” is not a time; ${forms}`;
  const oldest = parseTime(`${days} days ago`, now);
  if (start && end && end < start) return { bounds: { from: end, to: start }, warnings: [turned] };
  const low = start || oldest;
  return { bounds: { ...(low ? { from: low } : {}), ...(end ? { to: end } : {}) }, warnings: [] };
}

const turned = 'from is later than to; they were taken the other way round.';
const forms =
  'write a date like 2026-03-01 or 2026-03-01T09:30Z, or today, yesterday, 3 days ago, last week, last month, monday.';

function rangeOf({ scope, targets: wanted }: Input, context: CallContext): MemoryRange {
  const { conversation, turn: except, view } = context;
  const data = view.openTurn?.data;
  const agent = isJsonObject(data) ? `${data['bundle'] ?? ''}/${data['agent'] ?? ''}` : undefined;
  return {
    targets: [...new Set(wanted)],
    except,
    ...(scope === 'conversation' ? { conversation } : {}),
    ...(scope === 'agent' && agent !== undefined ? { agent } : {}),
  };
}
