import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';

/** Gives drafts their place, as a store would. One second passes per block. */
export class LogWriter {
  readonly blocks: Block[] = [];
  readonly #conversation: string;

  constructor(conversation = 'conv_test', blocks: readonly Block[] = []) {
    this.#conversation = conversation;
    this.blocks.push(...blocks);
  }

  get head(): number {
    return this.blocks.length;
  }

  append(...drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      const seq = this.head + 1;
      const at = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
      this.blocks.push({
        ...draft,
        conversation: this.#conversation,
        seq: toSeq(seq),
        at,
        meta: draft.meta ?? {},
      });
    }
  }
}
