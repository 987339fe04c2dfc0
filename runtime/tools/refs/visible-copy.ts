import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { BlobRef } from '../../timeline/block.ts';
import { dataOf, entryOf } from '../../timeline/catalogue/catalogue.ts';
import type { BlockPath } from '../../timeline/paths.ts';
import { shownBlocks, shownRounds } from '../../timeline/render/shown-rounds.ts';
import type { CallView, TurnView, View } from '../../timeline/view.ts';
import type { ResolvedPath } from '../ports/call-services.ts';

type TextCopy = { readonly path: BlockPath; readonly sha256: string; readonly text: string };

/** Kinds of blocks that the prompt renders with their whole text. */
const shownWhole: ReadonlySet<string> = new Set(['event', 'note', 'code', 'completion', 'summary']);

/** Where the prompt already shows the whole text of a path: in its own block, or in an earlier read. */
export function visibleCopy(view: View, wanted: TextCopy): string | undefined {
  if (view.hidden.has(wanted.path)) return undefined;
  for (const turn of view.turns.toReversed()) {
    const at = view.pruned.has(turn.id) ? undefined : copyIn(turn, view, wanted);
    if (at !== undefined) return at;
  }
  return undefined;
}

/** Where the same bytes of the path, an image or a document, are already attached in the open turn. */
export function visibleAttachment(
  view: View,
  { path, blob }: Pick<ResolvedPath, 'path' | 'blob'>,
): string | undefined {
  const { openTurn } = view;
  const isSame = (other: BlobRef | undefined) => other !== undefined && other.hash === blob?.hash;
  const sent = openTurn?.events.find((block) => block.path === path);
  if (sent?.mime?.startsWith('image/') && isSame(sent.blob) && !view.hidden.has(path)) return path;
  const reads = readsOf(openTurn, view);
  return reads.find((call) =>
    attachedBy(call).some((each) => each.path === path && isSame(each.blob)),
  )?.result?.path;
}

function attachedBy({ result }: CallView) {
  return (result && dataOf('react.tool.result', result)?.attached) ?? [];
}

/** Whether the prompt still contains a read of the path, whole or in part. */
export function wasRead(view: View, path: string): boolean {
  return view.turns.some(
    (turn) =>
      !view.pruned.has(turn.id) &&
      readsOf(turn, view).some((call) => rowsOf(call).some(isShown(path))),
  );
}

function copyIn(turn: TurnView, view: View, wanted: TextCopy): string | undefined {
  const own = shownBlocks(view, turn).findLast(({ path }) => path === wanted.path);
  const render = own && entryOf(own.type)?.policy.render;
  if (render !== undefined && shownWhole.has(render) && own?.text === wanted.text) return own.path;
  const read = readsOf(turn, view).findLast((call) => rowsOf(call).some(isSame(wanted)));
  return read?.result?.path;
}

/** Reads whose results are still in the prompt. */
function readsOf(turn: TurnView | undefined, view: View): readonly CallView[] {
  const { hidden } = view;
  const calls = turn ? shownRounds(view, turn).flatMap((round) => round.calls) : [];
  return calls.filter(
    ({ tool, result }) =>
      tool === 'react.read' && result?.path !== undefined && !hidden.has(result.path),
  );
}

function rowsOf({ result }: CallView): readonly JsonObject[] {
  const ret = isJsonObject(result?.data) ? result.data['ret'] : undefined;
  const rows = isJsonObject(ret) ? ret['paths'] : undefined;
  return Array.isArray(rows) ? rows.filter((row: Json) => isJsonObject(row)) : [];
}

/** Skills are compared by path, everything else by text. */
function isSame({ path, sha256 }: TextCopy) {
  return (row: JsonObject) =>
    row['status'] === 'loaded' &&
    row['start'] === 0 &&
    row['end'] === row['characters'] &&
    row['path'] === path &&
    (row['sha256'] === sha256 || path.startsWith('sk:'));
}

function isShown(path: string) {
  return (row: JsonObject) => row['path'] === path && typeof row['tokens'] === 'number';
}
