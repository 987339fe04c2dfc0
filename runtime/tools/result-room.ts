import { shownRounds } from '../timeline/render/shown-rounds.ts';
import { spentResultChars, turnResultsCharsMax } from './limits.ts';
import type { CallContext, ToolSpec } from './tool.ts';

/**
 * Characters the model reads of one more result: what its tool says, until those of its turn that stand in the prompt
 * fill what they may together. Control tools have limits of their own: what was cut is read again with them.
 */
export function resultRoom(
  { kind, resultLimit }: Pick<ToolSpec, 'kind' | 'resultLimit'>,
  { view }: Pick<CallContext, 'view'>,
): number {
  const { openTurn, hidden } = view;
  if (kind === 'control' || !openTurn) return resultLimit;
  const results = shownRounds(view, openTurn).flatMap(({ calls }) =>
    calls.flatMap(({ result }) => result ?? []),
  );
  const chars = results
    .filter(({ path }) => path === undefined || !hidden.has(path))
    .reduce((sum, { text = '' }) => sum + text.length, 0);
  return Math.min(resultLimit, Math.max(spentResultChars, turnResultsCharsMax - chars));
}
