import { isClose, nearestFirst } from '../../base/nearest.ts';
import { nearestToolsShown } from '../limits.ts';

/** The ids that a model probably meant: a name without its alias first, then spellings like this one. */
export function nearestTools(name: string, ids: readonly string[]): readonly string[] {
  const bare = lastPart(name);
  const same = ids.filter((id) => lastPart(id) === bare);
  const near = nearestFirst(
    name,
    ids.filter((id) => !same.includes(id) && isClose(name, id)),
  );
  return [...same, ...near].slice(0, nearestToolsShown);
}

/** `math.add`, `math__add` and `add` end in `add`. */
function lastPart(name: string): string {
  return name.split(/\.|__/).at(-1)?.toLowerCase() ?? '';
}

/** The sentence for an unknown tool: the nearest of these, if there are any. */
export function didYouMean(name: string, ids: readonly string[]): string {
  const near = nearestTools(name, ids);
  return near.length === 0 ? '' : ` Nearest: ${near.join(', ')}.`;
}
