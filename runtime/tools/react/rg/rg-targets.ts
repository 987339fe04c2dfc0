import type { Block } from '../../../timeline/block.ts';
import { toTurnId } from '../../../timeline/ids.ts';
import { parsePath } from '../../../timeline/paths.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import type { View } from '../../../timeline/view.ts';
import { filesOf, pulledPath } from '../../files/workspace.ts';
import type { CallContext } from '../../ports/tool.ts';
import { findFiles } from '../workspace/find-files.ts';

/** Something to search: its path, and the name that `root` and `name_regex` match. */
export type SearchTarget = {
  readonly path: string;
  readonly name: string;
  /** Bytes and type, if it is a file. */
  readonly size?: number;
  readonly mime?: string;
};

/** `timeline` means every logged text; a root with a colon, the paths with this prefix; any other root, the files whose names have this prefix. */
export async function searchTargets(
  root: string,
  context: CallContext,
): Promise<readonly SearchTarget[]> {
  const plain = root.trim().replace(/^conv:/, '');
  if (plain === 'timeline' || /^\w\w:/.test(plain)) {
    const start = plain === 'timeline' ? '' : plain;
    return loggedPlaces(context, plain === 'timeline').filter(
      ({ name, path }) => name.startsWith(start) || path.startsWith(start),
    );
  }
  const start = withShortTurn(plain.replace(/^(\.?\/)+/, ''), context);
  const files = [...ownFiles(context), ...(await pulledFiles(context))];
  return files.filter(({ name }) => name.startsWith(start));
}

/** A root may also name the folder of a turn by the id of the turn. */
function withShortTurn(root: string, { view }: CallContext): string {
  const [turn = ''] = /^(?:[a-z]+_)?turn_[\w-]+(?=\/)/.exec(root) ?? [];
  return turn === '' ? root : shortNames(view).turn(toTurnId(turn)) + root.slice(turn.length);
}

function ownFiles({ view, turn }: CallContext): readonly SearchTarget[] {
  const own = view.turns.findLast(({ id }) => id === turn);
  return (own ? filesOf(own) : []).map(({ path, local, mime, blob }) => ({
    path,
    mime,
    name: local,
    size: blob.size,
  }));
}

async function pulledFiles(context: CallContext): Promise<readonly SearchTarget[]> {
  const places: SearchTarget[] = [];
  for (const pulled of context.view.pulled) {
    const files = await findFiles(pulled, context);
    for (const { path, turn, local, mime, blob } of files) {
      const name = pulledPath(path, context.view) ?? local;
      if (turn !== context.turn) places.push({ path, mime, name, size: blob.size });
    }
  }
  return places;
}

/** Every path of the folded log except this search itself, newest first, because limits cut off the rest. */
function loggedPlaces(
  { view, turn, call }: CallContext,
  textOnly: boolean,
): readonly SearchTarget[] {
  const own = `tc:${turn}.${call}.`;
  const { path: shown } = shortNames(view);
  return pathsOf(view)
    .toReversed()
    .filter(({ path }) => !path.startsWith(own) && !(textOnly && isFile(path)))
    .map(({ path, block }) => ({
      path,
      name: shown(path),
      ...(block.blob ? { size: block.blob.size } : {}),
      ...(block.mime === undefined ? {} : { mime: block.mime }),
    }));
}

function pathsOf({ turns }: View): readonly { path: string; block: Block }[] {
  const known = new Map<string, Block>();
  for (const block of turns.flatMap(({ blocks }) => blocks)) {
    if (block.path === undefined) continue;
    // A path that was written again takes the position of its last write.
    known.delete(block.path);
    known.set(block.path, block);
  }
  return [...known].map(([path, block]) => ({ path, block }));
}

function isFile(path: string): boolean {
  const parsed = parsePath(path);
  return parsed?.family === 'fi' && !parsed.rest.startsWith('code.');
}
