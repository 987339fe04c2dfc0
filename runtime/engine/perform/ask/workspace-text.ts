import { isAttachment } from '../../../timeline/compact/fit.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import type { TurnView, View } from '../../../timeline/view.ts';
import {
  earlierFilesInWorkspace,
  pulledFilesInWorkspace,
  sentFilesInWorkspace,
} from '../../limits.ts';

/**
 * Rows of ANNOUNCE: pulled files, files the user sent in earlier turns, the newest other files of those turns, and
 * all files of the open turn. Files of a turn that only the memory knows are listed like any other.
 */
export function workspaceRows(view: View): readonly string[] {
  const { path: shortened } = shortNames(view);
  const { turns, openTurn, memory } = view;
  const pulled = new Set([...view.pulled].map(shortened));
  const filesOf = (turn: TurnView) => filesIn(turn).map(shortened);
  const shown = turns.filter((turn) => turn !== openTurn).flatMap(filesOf);
  const compacted = memory?.kept.files.map(({ ref }) => shortened(ref)) ?? [];
  const files = compacted.filter((path) => path.startsWith('fi:'));
  const earlier = [...new Set([...files, ...shown])].filter((path) => !pulled.has(path));
  const sent = earlier.filter(isAttachment).slice(-sentFilesInWorkspace);
  const made = earlier.filter((path) => !isAttachment(path)).slice(-earlierFilesInWorkspace);
  return [
    ...pulledRows([...pulled]),
    ...[...sent, ...made].map((path) => `${path} (earlier turn)`),
    ...(openTurn ? filesOf(openTurn) : []),
  ];
}

function pulledRows(paths: readonly string[]): readonly string[] {
  const more = paths.length - pulledFilesInWorkspace;
  const rows = paths.slice(-pulledFilesInWorkspace).map((path) => `${path} (pulled)`);
  return more > 0 ? [`${more} more (pulled), older than these:`, ...rows] : rows;
}

function filesIn({ blocks }: TurnView): readonly string[] {
  const files = blocks.filter(({ type }) => type === 'artifact.file' || type === 'user.attachment');
  return [...new Set(files.flatMap(({ path }) => (path === undefined ? [] : [path])))];
}
