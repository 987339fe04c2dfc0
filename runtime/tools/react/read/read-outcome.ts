import type { Json } from '../../../base/json.ts';
import { type ShortNames, shortNames } from '../../../timeline/short-names.ts';
import { missingPathChars, readBytesMax } from '../../limits.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { callNotice } from '../../results/call-notice.ts';
import { cutText } from '../../text/cut-text.ts';
import { readPathsMax } from './limits.ts';
import type { ReadBudget } from './read-budget.ts';
import type { Section } from './read-section.ts';

type ReadPaths = {
  readonly sections: readonly Section[];
  /** Paths that do not exist. */
  readonly missing: readonly string[];
  /** Paths beyond the limit of one read. */
  readonly left: readonly string[];
};
type ReadState = {
  readonly context: CallContext;
  readonly budget: ReadBudget;
  readonly asked: { readonly stats_only: boolean };
};

export function toReadOutcome(read: ReadPaths, { context, budget, asked }: ReadState): ToolOutcome {
  const { sections, left } = read;
  const missing = [...read.missing, ...sections.flatMap(({ absent }) => absent ?? [])].map((path) =>
    cutText(path, missingPathChars),
  );
  const of = (...statuses: readonly string[]) =>
    sections.filter(({ row }) => statuses.includes(row.status)).map(({ row }) => row.path);
  const seen = sections.flatMap(({ row }) =>
    'visible_at' in row ? (row['visible_at'] ?? []) : [],
  );
  const ret: Json = {
    paths: sections.map(({ row }) => row),
    missing,
    missing_skills: missing.filter((path) => path.startsWith('sk:')),
    exists_in_visible_context: of('exists_in_visible_context'),
    visible_context_refs: seen,
    truncated_paths: of('truncated_for_visible_context'),
    large_paths: of('too_large_for_visible_context_bytes', 'not_attached'),
    ...(left.length > 0 ? { left_out: left } : {}),
    total_tokens: budget.total.tokens - budget.tokens,
    visible_read_limit_text_symbols: budget.path.chars,
    visible_read_limit_tokens: budget.path.tokens,
    visible_read_limit_bytes: readBytesMax,
    stats_only: asked.stats_only,
  };
  const notice = `Nothing is at: ${missing.join(', ')}`;
  return {
    result: { ok: true, ret },
    preview: previewOf({ sections, missing, left }, shortNames(context.view)),
    attached: sections.flatMap(({ attachment }) => attachment ?? []),
    blocks: missing.length > 0 ? [callNotice(context, 'read_paths_missing', notice)] : [],
  };
}

function previewOf({ sections, missing, left }: ReadPaths, names: ShortNames): string {
  const shown = sections.map(({ about, text }, index) => {
    const body = text === '' ? '' : `\n${text.endsWith('\n') ? text : `${text}\n`}`;
    return `[${index + 1}] ${names.inText(about)}${body}`;
  });
  const gone = missing.length > 0 ? [`missing (nothing is there): ${missing.join(', ')}`] : [];
  const more = left.length > 0 ? [`not read (${readPathsMax} at a time): ${left.join(', ')}`] : [];
  return [...shown, ...gone, ...more].join('\n');
}
