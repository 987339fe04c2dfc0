import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { isSearch, readsCatalogue } from '../catalogue/lookups.ts';
import { keptImagesCharsMax, keptImagesMax, replacementSavedTokensMin } from '../limits.ts';
import type { BlockPath } from '../paths.ts';
import { type InlineFile, type Item, toItem } from '../render/items.ts';
import { shortNames } from '../short-names.ts';
import { countTokens } from '../tokens.ts';
import type { CallView, TurnView, View } from '../view.ts';
import { shorten } from './shorten.ts';

type ShortenedBlock = { readonly path: string; readonly text: string; readonly saved: number };

/**
 * Shortens recent turns that need not stay intact: results that can be found again as easily as before, and images except
 * the newest few. The rest of these turns does not change.
 */
export function shortenRecent(
  view: View,
  { recent, light }: { recent: readonly TurnView[]; light: readonly TurnView[] },
): readonly ShortenedBlock[] {
  const kept = keptImages(view, recent);
  const found = light.flatMap((turn) => [
    ...turn.blocks.flatMap((block) => (kept.has(block) ? [] : shortAttached(view, block))),
    ...turn.rounds.flatMap((round) => round.calls.flatMap((call) => shortResult(view, turn, call))),
  ]);
  return [...new Map(found.map((each) => [each.path, each])).values()];
}

function shortResult(view: View, turn: TurnView, call: CallView): readonly ShortenedBlock[] {
  const { result } = call;
  if (result?.path === undefined || !isLookup(turn, call)) return [];
  const text = readsCatalogue(call)
    ? '(the text of the skill is pruned; react.read of its path shows it again)'
    : shorten({
        text: result.text ?? '',
        value: dataOf('react.tool.result', result)?.ret,
        path: shortNames(view).path(result.path),
      });
  return worthwhile(view, { block: result, path: result.path, text });
}

function isLookup({ blocks }: TurnView, call: CallView): boolean {
  if (isSearch(call) || readsCatalogue(call)) return true;
  return blocks.some((block) => block.type === 'source.row' && block.call === call.call);
}

/** Images and documents that are part of the prompt. */
function shortAttached(view: View, block: Block): readonly ShortenedBlock[] {
  const { path, text = '' } = block;
  if (path === undefined || attachedOf(view, block).length === 0) return [];
  return worthwhile(view, {
    block,
    path,
    text: `(no longer attached)\n${shorten({ text, path: shortNames(view).path(path) })}`,
  });
}

type Replaced = { readonly block: Block; readonly path: BlockPath; readonly text: string };

function worthwhile(view: View, { block, path, text }: Replaced): readonly ShortenedBlock[] {
  const before = view.hidden.has(path) ? undefined : toItem(block, view);
  const after = toItem(block, { ...view, hidden: new Map([[path, text]]) });
  const saved = before && after ? tokensOf(before) - tokensOf(after) : 0;
  return saved < replacementSavedTokensMin ? [] : [{ path, text, saved }];
}

function tokensOf({ text, attached = [] }: Item): number {
  return attached.reduce((sum, { tokens }) => sum + tokens, countTokens(text));
}

function attachedOf(view: View, block: Block): readonly InlineFile[] {
  return toItem(block, view)?.attached ?? [];
}

/** The newest image always, and more while their count and total base64 size allow. */
function keptImages(view: View, recent: readonly TurnView[]): ReadonlySet<Block> {
  const images = recent
    .flatMap(({ blocks }) => blocks)
    .filter((each) => attachedOf(view, each).length > 0);
  const kept = new Set<Block>();
  let chars = 0;
  for (const block of images.toReversed()) {
    for (const { blob } of attachedOf(view, block)) chars += Math.ceil(blob.size / 3) * 4;
    if (kept.size >= keptImagesMax || (kept.size > 0 && chars > keptImagesCharsMax)) break;
    kept.add(block);
  }
  return kept;
}
