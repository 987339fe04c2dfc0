import { type OpenLog, readLog } from '../../../engine/inspect/open-log.ts';
import type { Block } from '../../../timeline/block.ts';
import { cacheLedger, type LedgerCall } from '../../../timeline/cache/ledger.ts';
import { emptyView, foldArchive } from '../../../timeline/fold/fold.ts';
import type { ConversationKey } from '../../../timeline/ids.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { type PastRound, pastRounds } from '../../../timeline/render/past-rounds.ts';
import type { View } from '../../../timeline/view.ts';
import type { GatewayStores } from '../../ports/gateway-stores.ts';
import { keptBlocksMax, keptLogsMax, logPageBlocks } from './limits.ts';

/** A log with what several readings of it share, each made once. */
export class InspectedLog implements OpenLog {
  readonly row: ConversationRow;
  readonly blocks: readonly Block[];
  readonly blobs: OpenLog['blobs'];
  readonly signal: AbortSignal;
  #archive: View | undefined;
  #ledger: readonly LedgerCall[] | undefined;
  #rounds: ReadonlyMap<number, PastRound> | undefined;

  constructor({ row, blocks, blobs, signal }: OpenLog) {
    this.row = row;
    this.blocks = blocks;
    this.blobs = blobs;
    this.signal = signal;
  }

  /** All turns, also those that compactions removed. */
  get archive(): View {
    this.#archive ??= foldArchive(emptyView, this.blocks);
    return this.#archive;
  }

  get ledger(): readonly LedgerCall[] {
    this.#ledger ??= cacheLedger(this.blocks);
    return this.#ledger;
  }

  /** By the seq of its `round.open`. */
  get rounds(): ReadonlyMap<number, PastRound> {
    this.#rounds ??= new Map([...pastRounds(this.blocks)].map((past) => [past.open.seq, past]));
    return this.#rounds;
  }

  /** The same log for a row that was read again: a title or a lease may have changed. */
  withRow(row: ConversationRow): InspectedLog {
    const same = new InspectedLog({ ...this, row });
    same.#archive = this.#archive;
    same.#ledger = this.#ledger;
    same.#rounds = this.#rounds;
    return same;
  }
}

/** Blocks never change, so a log that was read before needs only its new blocks. */
export class LogCache {
  readonly #stores: Pick<GatewayStores, 'store' | 'blobs'>;
  readonly #signal: AbortSignal;
  readonly #logs = new Map<ConversationKey, InspectedLog>();

  constructor(stores: Pick<GatewayStores, 'store' | 'blobs'>, signal: AbortSignal) {
    this.#stores = stores;
    this.#signal = signal;
  }

  /** `row` was read just now, so an erased conversation never comes from the cache. */
  async open(row: ConversationRow): Promise<InspectedLog> {
    const known = this.#logs.get(row.key);
    if (known && known.blocks.at(-1)?.seq === row.head) return this.#keep(known.withRow(row));
    const { store, blobs } = this.#stores;
    const signal = this.#signal;
    const reading = { pageBlocks: logPageBlocks, signal, ...(known && { known: known.blocks }) };
    const blocks = await readLog(store, row, reading);
    return this.#keep(new InspectedLog({ row, blocks, blobs, signal }));
  }

  #keep(log: InspectedLog): InspectedLog {
    this.#logs.delete(log.row.key);
    this.#logs.set(log.row.key, log);
    for (const [key] of this.#logs) {
      if (this.#logs.size <= keptLogsMax && this.#size() <= keptBlocksMax) break;
      this.#logs.delete(key);
    }
    return log;
  }

  #size(): number {
    return [...this.#logs.values()].reduce((sum, { blocks }) => sum + blocks.length, 0);
  }
}
