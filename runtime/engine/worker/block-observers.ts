import type { Block } from '../../timeline/block.ts';
import { type ConversationKey, type Seq, toSeq } from '../../timeline/ids.ts';
import type { View } from '../../timeline/view.ts';
import { choiceOf } from '../agent/turn-data.ts';
import { observedConversationsMax } from '../limits.ts';
import type { WorkerSession } from '../session/session.ts';

type ShowBlock = (block: Block, turn: View['turns'][number]) => void;

/**
 * Tracks which blocks a worker has shown to observers. In a conversation that it does not know it starts at the open
 * turn, so that after a takeover some blocks are shown again and none is missed.
 */
export class BlockObservers {
  readonly #seen = new Map<ConversationKey, number>();

  /** Shows the folded blocks to the observers of the bundle that their turn belongs to. */
  follow({ engine, conversation }: WorkerSession): void {
    const { key, user } = conversation.lease.row;
    conversation.onBlocks((blocks) =>
      this.show(key, { blocks, view: conversation.view }, (block, turn) =>
        engine.agent(choiceOf(turn))?.hooks?.observe?.(block, { user }),
      ),
    );
  }

  /** Shows those of the newly folded blocks that are new here. */
  show(
    key: ConversationKey,
    { blocks, view }: { blocks: readonly Block[]; view: View },
    tell: ShowBlock,
  ): void {
    const from = this.#seen.get(key) ?? startOf(view, blocks);
    const news = blocks.filter(({ seq }) => seq > from);
    for (const block of news) {
      const turn = view.turns.findLast(({ id }) => id === block.turn);
      if (turn) tell(block, turn);
    }
    this.#remember(key, toSeq(Math.max(from, blocks.at(-1)?.seq ?? from)));
  }

  #remember(key: ConversationKey, seq: Seq): void {
    this.#seen.delete(key);
    this.#seen.set(key, seq);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > observedConversationsMax && oldest !== undefined) {
      this.#seen.delete(oldest);
    }
  }
}

/** Right before the open turn, or before the last block if no turn is open: older blocks are not shown. */
function startOf({ openTurn }: View, blocks: readonly Block[]): number {
  return openTurn ? openTurn.openSeq - 1 : (blocks.at(-1)?.seq ?? 0);
}
