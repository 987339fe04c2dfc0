import { feedbackLine } from '../feedback.ts';
import { feedbackOf } from '../fold/fold-feedback.ts';
import { toBlockPath } from '../paths.ts';
import { shortNames } from '../short-names.ts';
import type { View } from '../view.ts';

type FoldedLine = { readonly path: string; readonly text: string };

/**
 * What people and checks said of closed turns, where the prompt does not show it in its turn yet. Until the cache is cold
 * it stands in ANNOUNCE alone. An empty text: it was withdrawn.
 */
export function unfoldedFeedback(view: View): readonly FoldedLine[] {
  const names = shortNames(view);
  return view.turns
    .filter(({ id, closed }) => closed && !view.pruned.has(id))
    .flatMap(({ blocks }) => {
      const newest = new Map<string, string>();
      for (const block of blocks) {
        const found = feedbackOf(block);
        const line = found?.row ? feedbackLine(found.row, names) : '';
        if (found && block.path !== undefined) newest.set(block.path, line);
      }
      return [...newest].map(([path, text]) => ({ path, text }));
    })
    .filter(({ path, text }) => text !== (view.hidden.get(toBlockPath(path)) ?? ''));
}
