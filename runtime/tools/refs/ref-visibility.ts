import { isJsonObject } from '../../base/json.ts';
import { formatPath, type Path, parsePath } from '../../timeline/paths.ts';
import { type ResolvedPath, resolve } from '../../timeline/resolve/resolve.ts';
import { toStored, turnIdOf } from '../../timeline/short-names.ts';
import type { TurnView, View } from '../../timeline/view.ts';
import type { CallContext } from '../ports/tool.ts';
import { wasRead } from './visible-copy.ts';

type RefProblem = 'ref_not_visible' | 'ref_internal_not_visible' | 'fi_ref_not_materialized';

/** Why a reference to this path is refused in the input of a call; undefined if the model can see it. */
export function refProblem(path: string, { view }: CallContext): RefProblem | undefined {
  const parsed = parsePath(path);
  return parsed ? problemOf(toStored(view, parsed) ?? parsed, view) : 'ref_not_visible';
}

function problemOf(path: Path, view: View): RefProblem | undefined {
  const spelled = formatPath(path);
  if (view.hidden.has(spelled)) return 'ref_not_visible';
  const resolved = 'name' in path ? undefined : resolve(view, spelled);
  const paths = [spelled, ...(resolved ? [resolved.path] : [])];
  if (paths.some((each) => wasRead(view, each) || view.pulled.has(each))) return undefined;
  const turn = 'turn' in path ? turnIdOf(view, path.turn) : undefined;
  const pruned = turn !== undefined && view.pruned.has(turn);
  if (resolved === undefined || pruned)
    return path.family === 'fi' ? 'fi_ref_not_materialized' : 'ref_not_visible';
  return isInternal(resolved) && !isOwnText(view, resolved.path)
    ? 'ref_internal_not_visible'
    : undefined;
}

function isInternal({ data }: ResolvedPath): boolean {
  return isJsonObject(data) && data['visibility'] === 'internal';
}

/** The model has seen what it wrote itself. */
function isOwnText({ turns }: View, path: string): boolean {
  return turns.some((turn) => callsThatWrite(turn).has(callOf(turn, path) ?? ''));
}

function callOf({ blocks }: TurnView, path: string): string | undefined {
  return blocks.findLast((block) => block.type === 'artifact.file' && block.path === path)?.call;
}

function callsThatWrite({ rounds }: TurnView): ReadonlySet<string> {
  const calls = rounds.flatMap((round) => round.calls);
  const writing = calls.filter(({ tool }) => tool === 'react.write' || tool === 'react.patch');
  return new Set(writing.map(({ call }) => call));
}
