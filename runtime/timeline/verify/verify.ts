import type { Block } from '../block.ts';
import { dataOf, entryOf } from '../catalogue/catalogue.ts';
import { isBetween, pathIn } from '../fold/between.ts';
import { emptyView, foldArchive } from '../fold/fold.ts';
import { toTurnId } from '../ids.ts';
import { parsePath, paths } from '../paths.ts';
import { pathsInRows } from '../render/text.ts';
import { resolve } from '../resolve/resolve.ts';
import type { View } from '../view.ts';
import {
  type Finding,
  watchApprovals,
  watchCalls,
  watchCloses,
  watchRounds,
  watchTurns,
} from './turn-checks.ts';

/** One problem in a log; `seq` is that of the block where it appears. */
export type Problem = { readonly code: string; readonly seq: number; readonly text: string };

/** All problems of a log; empty for a log that an owner may continue. An open turn is not a problem. */
export function verify(blocks: readonly Block[]): readonly Problem[] {
  const view = foldArchive(emptyView, blocks);
  const checks = [
    watchOrder(),
    watchTurns(),
    watchCloses(),
    watchRounds(),
    watchCalls(),
    watchApprovals(),
    checkShape,
    checkPaths(view),
  ];
  return blocks.flatMap((block) =>
    checks.flatMap((check) => check(block).map(([code, text]) => ({ code, seq: block.seq, text }))),
  );
}

const anyTurn = toTurnId('turn_any');

function watchOrder(): (block: Block) => readonly Finding[] {
  let last: number | undefined;
  return ({ seq }) => {
    const gap = last !== undefined && seq !== last + 1;
    const found: Finding = ['seq_gap', `${seq} follows ${last}`];
    last = seq;
    return gap ? [found] : [];
  };
}

function checkShape(block: Block): readonly Finding[] {
  const entry = entryOf(block.type);
  if (!entry) return [];
  const data = entry.data.safeParse(block.data);
  const found: Finding[] = [];
  if (!data.success)
    found.push(['data_misfit', `${block.type}: ${data.error.issues[0]?.message ?? ''}`]);
  const path = block.path && pathIn(block.path, anyTurn);
  if (!entry.path(path)) found.push(['path_misfit', `${block.type} at ${block.path ?? 'no path'}`]);
  return found;
}

/** The path of a block and every path that it names must resolve. */
function checkPaths(view: View): (block: Block) => readonly Finding[] {
  // Memories repeat the paths of earlier memories.
  const known = new Map<string, boolean>();
  const isThere = (path: string) => {
    const there = known.get(path) ?? (isElsewhere(path) || resolve(view, path) !== undefined);
    known.set(path, there);
    return there;
  };
  return (block) =>
    namedPaths(block)
      .filter((path) => !isThere(path))
      .map((path) => ['path_unresolved', `${block.type} names ${path}`] as const);
}

function namedPaths(block: Block): readonly string[] {
  // An event between two turns gets its path from the turn that takes it.
  const isNamed = block.path !== undefined && entryOf(block.type) && !isBetween(block);
  const own = isNamed ? [block.path] : [];
  switch (block.type) {
    case 'view.hide':
      return [...own, dataOf('view.hide', block)?.path ?? ''];
    case 'view.unhide':
      return [...own, dataOf('view.unhide', block)?.path ?? ''];
    case 'view.prune':
      return [...own, ...prunedPaths(block)];
    case 'view.compact':
      return [...own, ...keptPaths(block)];
    case 'turn.close':
      return [...own, ...(dataOf('turn.close', block)?.files ?? []).map(({ path }) => path)];
    case 'assistant.completion':
      return [
        ...own,
        ...(dataOf('assistant.completion', block)?.sources_used ?? []).map(paths.source),
      ];
    case 'workspace.pull':
      return [...own, ...(dataOf('workspace.pull', block)?.paths ?? [])];
    default:
      return own;
  }
}

/** A pruned turn names its index, and a path in each of its rows. */
function prunedPaths(block: Block): readonly string[] {
  const { turns = [], paths: shortened = [] } = dataOf('view.prune', block) ?? {};
  return [
    ...turns.flatMap(({ turn, text }) => [paths.turnIndex(turn), ...pathsInRows(text)]),
    ...shortened.map(({ path }) => path),
  ];
}

/** Every item that has a row in a memory is still readable under its path. */
function keptPaths(block: Block): readonly string[] {
  const kept = dataOf('view.compact', block)?.state.memory?.kept;
  if (!kept) return [];
  const { turns, events, notes, files, results, earlier } = kept;
  const rows = [...events, ...notes, ...files, ...results, ...earlier];
  return [...turns.map(({ ref }) => paths.turnIndex(toTurnId(ref))), ...rows.map(({ ref }) => ref)];
}

/** Skills, knowledge and other conversations are outside this log. */
function isElsewhere(text: string): boolean {
  const path = parsePath(text);
  return path !== undefined && ('name' in path || path.conversation !== undefined);
}
