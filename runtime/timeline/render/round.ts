import type { Block } from '../block.ts';
import type { TurnId } from '../ids.ts';
import type { RoundView } from '../view.ts';
import type { PromptForm } from './form.ts';
import { type Item, type ItemContext, toItem } from './items.ts';
import { messageItem, messageRound } from './message-round.ts';
import { inReadingOrder, isNamed, roundHeader } from './reading-order.ts';
import { cachedSegments, type Segment, toSegments } from './segments.ts';

type RoundContext = ItemContext & { readonly turn: TurnId; readonly form: PromptForm };

/** A closed round as segments; the first one has `opensRound`. */
export function renderRound(
  round: RoundView,
  { turn, form, ...view }: RoundContext,
): readonly Segment[] {
  return cachedSegments(round, { ...view, form }, () => {
    const segments =
      form.as === 'text'
        ? toSegments(logItems(round, view), turn)
        : messageRound(round, { turn, form, view });
    return segments.map((segment, index) => ({
      ...segment,
      ...(index === 0 ? { opensRound: true as const } : {}),
    }));
  });
}

function logItems(round: RoundView, view: ItemContext): readonly Item[] {
  const blocks = inReadingOrder(round).filter((block) => !isNamed(block, round, view));
  const header = { seq: round.openSeq, text: roundHeader(round), as: 'heading' } as const;
  return [header, ...blocks.flatMap((block) => toItem(block, view) ?? [])];
}

/** A block outside rounds: of the user, of the world, or an answer that the runtime wrote. */
export function toLooseItem(block: Block, view: ItemContext, form: PromptForm): Item | undefined {
  return form.as === 'text' ? toItem(block, view) : messageItem(block, view, form);
}
