import type { Json } from '../../../base/json.ts';
import type { ShortNames } from '../../../timeline/short-names.ts';
import type { ToolOutcome } from '../../ports/tool.ts';
import { grouped } from '../../text/cut-text.ts';
import { rgDeadlineMs, rgReadItemsMax, rgSkippedShown } from './limits.ts';
import type { SearchTarget } from './rg-targets.ts';
import type { ScanMatch } from './scan-lines.ts';

export type Hit = {
  readonly place: SearchTarget;
  readonly matches: readonly ScanMatch[];
  readonly lines: number;
  readonly chars: number;
};
export type SearchResult = {
  readonly hits: readonly Hit[];
  readonly matches: number;
  readonly searched: number;
  /** Binary or too large. */
  readonly skipped: readonly string[];
  /** Targets with lines of which only the beginning was searched. */
  readonly long: readonly string[];
  /** Number of targets not searched. */
  readonly left: number;
  /** The search ended at its limit of matching lines or files; `slow`: the time limit ended it. */
  readonly stopped: 'lines' | 'files' | undefined;
  readonly slow: boolean;
};

export function listingOutcome(
  places: readonly SearchTarget[],
  beyond: number,
  names: ShortNames,
): ToolOutcome {
  const left = Math.max(0, beyond);
  const files = places.map((place) => ({ ...place }));
  const lines = places.map(({ path, mime, size }) =>
    [names.path(path), mime, size === undefined ? undefined : `${grouped(size)} bytes`]
      .filter(Boolean)
      .join(' · '),
  );
  const preview = [...(lines.length > 0 ? lines : ['No files.']), ...leftLine(left)].join('\n');
  return { result: { ok: true, ret: { files, files_left: left } }, preview };
}

export function foundOutcome(search: SearchResult, names: ShortNames): ToolOutcome {
  const { hits, matches, searched, skipped, long, left, stopped, slow } = search;
  const because = stopped
    ? ` (stopped at this number of ${stopped}: narrow pattern, root or name_regex)`
    : slow
      ? ` (stopped after ${grouped(rgDeadlineMs)} ms: narrow root or name_regex)`
      : '';
  const head = `${grouped(matches)} matching lines in ${hits.length} of ${grouped(searched)} searched${because}`;
  const ret: Json = {
    hits: hits.map(toRow),
    read_items: hits.slice(0, rgReadItemsMax).map(readItem),
    matches,
    full: stopped !== undefined,
    timed_out: slow,
    skipped,
    ...(long.length > 0 ? { long_lines: long } : {}),
    files_left: left,
  };
  const preview = [
    head,
    ...hits.flatMap((hit) => shown(hit, names)),
    ...listLine('not searched (not text, or too large)', skipped.map(names.path)),
    ...listLine('lines too long to be searched to their end', long.map(names.path)),
    ...leftLine(left),
  ].join('\n');
  return { result: { ok: true, ret }, preview };
}

function listLine(what: string, paths: readonly string[]): readonly string[] {
  const unsaid = paths.length - rgSkippedShown;
  const names = [
    ...paths.slice(0, rgSkippedShown),
    ...(unsaid > 0 ? [`… ${grouped(unsaid)} more`] : []),
  ];
  return paths.length > 0 ? [`${what}: ${names.join(', ')}`] : [];
}

function toRow({ place, matches, lines, chars }: Hit): Json {
  const { path, name, size } = place;
  return {
    path,
    name,
    ...(size === undefined ? {} : { size_bytes: size }),
    text_symbols: chars,
    line_count: lines,
    matches: matches.map((match) => ({ ...match })),
  };
}

/** Input for react.read that shows the first match with the lines around it. */
function readItem({ place, matches }: Hit): Json {
  const line = matches[0]?.line ?? 1;
  return { path: place.path, line_start: Math.max(1, line - 6), line_count: 24 };
}

function shown({ place, matches }: Hit, names: ShortNames): readonly string[] {
  const lines = matches.map(({ line, preview, context }) => {
    const around = context.map((text) => `\n      | ${text}`).join('');
    return `  ${line}: ${preview}${around}`;
  });
  return [names.path(place.path), ...lines];
}

function leftLine(left: number): readonly string[] {
  return left > 0 ? [`${grouped(left)} more files: narrow root or name_regex`] : [];
}
