import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { catalogueRead, readsCatalogue } from '../catalogue/lookups.ts';
import { keptEventCharsMax, keptHintChars, keptNoteCharsMax, memoryRowsMax } from '../limits.ts';
import { paths } from '../paths.ts';
import { brief, gist, isWorthCutting, oneLine, quote, sizeText } from '../render/text.ts';
import { type ShortNames, shortNames } from '../short-names.ts';
import type { CallView, MemoryContents, MemoryRow, TurnView, View } from '../view.ts';
import { outcomeIn } from '../working-summary.ts';

/** The lists of a memory: a row for every item that may be needed again. */
export type MemoryRows = Pick<
  MemoryContents,
  'turns' | 'events' | 'notes' | 'files' | 'skills' | 'results'
>;

/** The lists of a memory in a prompt: its rows, open plans that do not fit into ANNOUNCE, and earlier memories. */
export type MemoryLists = MemoryRows &
  Pick<MemoryContents, 'earlier'> & { readonly plans: readonly MemoryRow[] };

/** Marks a file that was not delivered in its row. */
export const internalMark = 'internal';

export const noRows: MemoryLists = {
  turns: [],
  events: [],
  notes: [],
  files: [],
  skills: [],
  results: [],
  plans: [],
  earlier: [],
};

export function rowsOf(view: View, turns: readonly TurnView[]): MemoryRows {
  const names = shortNames(view);
  const short = (rows: readonly MemoryRow[]) =>
    rows.map((row) => ({ ...row, ref: names.path(row.ref) }));
  const calls = turns.flatMap(({ rounds }) => rounds.flatMap((round) => round.calls));
  return {
    turns: turns.map((turn) => ({ ...turnRow(turn), ref: names.turn(turn.id) })),
    events: short(turns.flatMap(({ events }) => events.flatMap(eventRow))),
    notes: short(turns.flatMap(({ blocks }) => blocks.flatMap(noteRow))),
    files: short(turns.flatMap(fileRows)),
    skills: calls.flatMap((call) => skillRows(call, names)),
    results: short(calls.flatMap(resultRow)),
  };
}

/** Earlier and new rows together; the newest row of each ref, in the order of last use. */
export function mergeRows(before: MemoryRows | undefined, more: MemoryRows): MemoryRows {
  const merged = (kind: keyof MemoryRows) => newest([...(before?.[kind] ?? []), ...more[kind]]);
  return {
    turns: merged('turns'),
    events: merged('events'),
    notes: newestNotes([...(before?.notes ?? []), ...more.notes]),
    files: merged('files'),
    skills: merged('skills'),
    results: merged('results'),
  };
}

function newest(rows: readonly MemoryRow[]): readonly MemoryRow[] {
  const byRef = new Map<string, MemoryRow>();
  for (const row of rows) {
    byRef.delete(row.ref);
    byRef.set(row.ref, row);
  }
  return [...byRef.values()].slice(-memoryRowsMax);
}

/** Notes with the same text count as one. */
function newestNotes(rows: readonly MemoryRow[]): readonly MemoryRow[] {
  const byText = new Map(newest(rows).map((row) => [row.text, row]));
  return newest([...byText.values()]);
}

function turnRow(turn: TurnView): MemoryRow {
  const asked = turn.events.find(({ type }) => type !== 'user.attachment');
  const said = turn.summary?.text ?? turn.completions.at(-1)?.text;
  const tools = new Set(turn.rounds.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  const end = turn.closed?.reason ?? 'open';
  const facts = [
    turn.openedAt.slice(0, 16),
    `“${gist(asked?.text ?? '', keptHintChars)}”`,
    said === undefined ? '' : `→ ${gist(outcomeIn(said) ?? said, keptHintChars)}`,
    tools.size === 0 ? '' : `(${[...tools].join(', ')})`,
    end === 'completed' ? '' : `(${end})`,
  ];
  return { ref: turn.id, text: facts.filter((fact) => fact !== '').join(' ') };
}

function eventRow({ type, path, text = '', data }: Block): readonly MemoryRow[] {
  if (path === undefined || !type.startsWith('external.')) return [];
  const kind = type.slice('external.'.length);
  const said = text === '' ? JSON.stringify(data ?? {}) : text;
  const shown = isWorthCutting(said, keptEventCharsMax)
    ? `${brief(said, keptEventCharsMax)} (only the beginning)`
    : quote(said);
  return [{ ref: path, text: `${kind}: ${shown}` }];
}

/** A tagged note begins with its tag: `[P]` is pinned. */
export function noteRow(block: Block): readonly MemoryRow[] {
  const { type, path, text = '' } = block;
  if (path === undefined || type !== 'react.note' || text.trim() === '') return [];
  const { tag } = dataOf('react.note', block) ?? {};
  const whole = tag === undefined ? text.trim() : `[${tag}] ${text.trim()}`;
  const cut = isWorthCutting(whole, keptNoteCharsMax);
  return [{ ref: path, text: cut ? brief(whole, keptNoteCharsMax) : quote(whole) }];
}

function fileRows({ blocks }: TurnView): readonly MemoryRow[] {
  return blocks.filter((block) => !showsFile(block)).flatMap(fileRow);
}

/** Whether a canvas shows a file; then the row of the file represents it. */
export function showsFile(block: Block): boolean {
  return block.type === 'canvas' && dataOf('canvas', block)?.file !== undefined;
}

function fileRow(block: Block): readonly MemoryRow[] {
  const { type, path, mime } = block;
  if (path === undefined) return [];
  switch (type) {
    case 'user.attachment':
    case 'artifact.file': {
      const { size = 0, ...data } = dataOf(type, block) ?? {};
      const said = 'description' in data ? String(data['description'] ?? '') : '';
      const internal =
        'visibility' in data && data['visibility'] === 'internal' ? internalMark : '';
      const row = facts([mime, sizeText(size), internal, brief(said, keptHintChars / 2)]);
      return [{ ref: path, text: row }];
    }
    case 'canvas':
      return [{ ref: path, text: facts([mime, dataOf('canvas', block)?.title]) }];
    default:
      return [];
  }
}

/**
 * Tools without result rows, because other lists contain their effects: plans, and files available to programs. Facts of the
 * long-term memory may be forgotten later, which could not change the row.
 */
const bookkeeping: ReadonlySet<string> = new Set([
  'react.plan',
  'react.pull',
  'react.checkout',
  'react.hide',
  'memory.record',
  'memory.retrieve',
]);

function skillRows(call: CallView, names: ShortNames): readonly MemoryRow[] {
  const text = `in ${names.turn(call.request.turn)}`;
  return catalogueRead(call).map((ref) => ({ ref, text }));
}

function resultRow(view: CallView): readonly MemoryRow[] {
  const { call, tool, request, result } = view;
  if (bookkeeping.has(tool) || readsCatalogue(view)) return [];
  const input = JSON.stringify(dataOf('react.tool.call', request)?.input ?? {});
  const ref = paths.result(request.turn, call);
  const question = `${tool} ${brief(input, keptHintChars / 2)}`;
  const failed = hasFailed(view) ? { failed: true as const } : {};
  return [{ ref, text: `${question} → ${resultHint(result)}`, ...failed }];
}

export function hasFailed({ result }: CallView): boolean {
  return result !== undefined && dataOf('react.tool.result', result)?.error !== undefined;
}

export function resultHint(result: Block | undefined): string {
  const data = result && dataOf('react.tool.result', result);
  if (!result || !data) return 'no result';
  if (data.error) return gist(`${data.error.code}: ${data.error.message}`, keptHintChars);
  return gist(result.text ?? JSON.stringify(data.ret ?? null), keptHintChars);
}

function facts(all: readonly (string | undefined)[]): string {
  return all
    .flatMap((fact) => (fact === undefined || fact === '' ? [] : oneLine(fact)))
    .join(' | ');
}
