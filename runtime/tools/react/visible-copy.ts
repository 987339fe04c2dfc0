import { isJsonObject, type Json } from '../../base/json.ts';
import type { CallView, View } from '../../timeline/view.ts';

/** Where this turn already shows the same whole text of a path, unless that was hidden since. */
export function visibleCopy(view: View, path: string, sha256: string): string | undefined {
  const calls = view.openTurn?.rounds.flatMap((round) => round.calls) ?? [];
  return calls.findLast((call) => shows(call, { path, sha256 }) && !isHidden(view, call))?.result
    ?.path;
}

function shows({ tool, result }: CallView, wanted: { path: string; sha256: string }): boolean {
  if (tool !== 'react.read' || !isJsonObject(result?.data)) return false;
  const { ret } = result.data;
  const rows = isJsonObject(ret) && Array.isArray(ret['paths']) ? ret['paths'] : [];
  return rows.some((row: Json) => isJsonObject(row) && isSame(row, wanted));
}

function isSame(
  row: { readonly [key: string]: Json },
  { path, sha256 }: { path: string; sha256: string },
): boolean {
  const whole =
    row['status'] === 'loaded' && row['start'] === 0 && row['end'] === row['characters'];
  return whole && row['path'] === path && row['sha256'] === sha256;
}

function isHidden({ hidden }: View, { result }: CallView): boolean {
  return result?.path !== undefined && hidden.has(result.path);
}
