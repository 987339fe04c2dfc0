import { dataOf } from '../catalogue/catalogue.ts';
import { pathsRead } from '../catalogue/lookups.ts';
import { type BlockPath, toBlockPath } from '../paths.ts';
import { storedPath } from '../short-names.ts';
import type { TurnView, View } from '../view.ts';

/**
 * Paths that the agent hid in recent turns and has read since, so it needs them. Pruned items stay pruned: a read puts
 * their text at the end of the prompt.
 */
export function pathsToUnhide(view: View, recent: readonly TurnView[]): readonly string[] {
  const hiddenAt = hides(view, recent);
  if (hiddenAt.size === 0) return [];
  const read = new Set(
    recent.flatMap(({ rounds }) =>
      rounds.flatMap(({ calls }) =>
        calls.flatMap((call) =>
          pathsRead(call)
            .flatMap((path) => storedPath(view, path) ?? [])
            .filter((path) => (hiddenAt.get(path) ?? Infinity) < call.request.seq),
        ),
      ),
    ),
  );
  return [...read];
}

/** Seq of the last hide of each path in these turns that is still hidden by it. */
function hides(view: View, recent: readonly TurnView[]): ReadonlyMap<BlockPath, number> {
  const places = recent.map(({ id }) => `:${id}.`);
  const found = new Map<BlockPath, number>();
  for (const block of recent.flatMap(({ blocks }) => blocks)) {
    const hide = block.type === 'view.hide' ? dataOf('view.hide', block) : undefined;
    const path = toBlockPath(hide?.path ?? '');
    if (!hide || view.hidden.get(path) !== hide.replacement) continue;
    if (places.some((place) => path.includes(place))) found.set(path, block.seq);
  }
  return found;
}
