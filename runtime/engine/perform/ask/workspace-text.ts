import type { Block } from '../../../timeline/block.ts';
import { deliveredMark, isDelivered } from '../../../timeline/catalogue/delivered.ts';
import { isAttachment, isDeliveredRow } from '../../../timeline/compact/fit.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import type { RoundView, TurnView, View } from '../../../timeline/view.ts';
import {
  earlierFilesInWorkspace,
  pulledFilesInWorkspace,
  sentFilesInWorkspace,
} from '../../limits.ts';

/**
 * Rows of ANNOUNCE: pulled files, files the user sent in earlier turns, the newest other files of those turns, and
 * all files of the open turn. Files of a turn that only the memory knows are listed like any other. A delivered file says
 * that the user has it, and after a steer that it is from before: work that the steer ended is not undone.
 */
export function workspaceRows(view: View): readonly string[] {
  const { path: shortened } = shortNames(view);
  const { turns, openTurn, memory } = view;
  const pulled = [...view.pulled].map(shortened);
  const closed = turns.filter((turn) => turn !== openTurn).flatMap(filesIn);
  const files = new Map(
    [...keptFiles(memory), ...closed].map(({ path, ...file }) => [shortened(path), file]),
  );
  const row = (path: string, from: string) =>
    rowText(path, [from, files.get(path)?.isDelivered() ? deliveredMark : '']);
  const earlier = [...files.keys()].filter((path) => !pulled.includes(path));
  const sent = earlier.filter(isAttachment).slice(-sentFilesInWorkspace);
  const made = earlier.filter((path) => !isAttachment(path)).slice(-earlierFilesInWorkspace);
  return [
    ...olderPulled(pulled),
    ...pulled.slice(-pulledFilesInWorkspace).map((path) => row(path, 'pulled')),
    ...[...sent, ...made].map((path) => row(path, 'earlier turn')),
    ...(openTurn ? openRows(openTurn, shortened) : []),
  ];
}

function rowText(path: string, facts: readonly string[]): string {
  const shown = facts.filter((fact) => fact !== '').join('; ');
  return shown === '' ? path : `${path} (${shown})`;
}

function openRows(turn: TurnView, shortened: (path: string) => string): readonly string[] {
  const before = deliveredBeforeSteer(turn);
  return filesIn(turn).map(({ path, isDelivered: hasUser }) =>
    rowText(shortened(path), [
      before.has(path) ? 'from before the steer' : '',
      hasUser() ? deliveredMark : '',
    ]),
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

function olderPulled({ length }: readonly string[]): readonly string[] {
  const more = length - pulledFilesInWorkspace;
  return more > 0 ? [`${more} more (pulled), older than these:`] : [];
}

type WorkspaceFile = { readonly path: string; readonly isDelivered: () => boolean };

function keptFiles(memory: View['memory']): readonly WorkspaceFile[] {
  const rows = memory?.kept.files.filter(({ ref }) => ref.startsWith('fi:')) ?? [];
  return rows.map((row) => ({ path: row.ref, isDelivered: () => isDeliveredRow(row) }));
}

/** The last state of each file, in the order in which the files first appear. */
function filesIn({ blocks }: TurnView): readonly WorkspaceFile[] {
  const files = blocks.filter(({ type }) => type === 'artifact.file' || type === 'user.attachment');
  const last = new Map(files.flatMap((file) => (file.path ? [[file.path, file] as const] : [])));
  return [...last].map(([path, file]) => ({ path, isDelivered: () => isDelivered(file) }));
}
