import type { Block } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { isAttachment } from '../../../timeline/compact/fit.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import type { RoundView, TurnView, View } from '../../../timeline/view.ts';
import {
  earlierFilesInWorkspace,
  pulledFilesInWorkspace,
  sentFilesInWorkspace,
} from '../../limits.ts';

/**
 * Rows of ANNOUNCE: pulled files, files the user sent in earlier turns, the newest other files of those turns, and
 * all files of the open turn. Files of a turn that only the memory knows are listed like any other. After a steer, a file
 * that was delivered before says that the user has it: work that the steer ended is not undone.
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
    ...(openTurn ? openRows(openTurn, shortened) : []),
  ];
}

function openRows(turn: TurnView, shortened: (path: string) => string): readonly string[] {
  const before = deliveredBeforeSteer(turn);
  return filesIn(turn).map((path) =>
    before.has(path)
      ? `${shortened(path)} (from before the steer; the user has it)`
      : shortened(path),
  );
}

/** Files whose last state comes from a round that had not seen the last steer. */
function deliveredBeforeSteer({ events, rounds }: TurnView): ReadonlySet<string | undefined> {
  const steer = events.findLast(({ type }) => type === 'external.steer');
  if (!steer) return new Set();
  const isBefore = ({ asOf }: RoundView) => asOf < steer.seq;
  const made = new Map(madeIn(rounds.filter(isBefore)).map((file) => [file.path, file]));
  const again = madeIn(rounds.filter((round) => !isBefore(round)));
  for (const { path } of again) made.delete(path);
  return new Set([...made.values()].filter(isDelivered).map(({ path }) => path));
}

function madeIn(rounds: readonly RoundView[]): readonly Block[] {
  return rounds.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'artifact.file'));
}

function isDelivered(file: Block): boolean {
  return dataOf('artifact.file', file)?.visibility === 'external';
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
