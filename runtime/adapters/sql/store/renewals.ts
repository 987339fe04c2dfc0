import type { ConversationKey } from '../../../timeline/ids.ts';
import type { Database } from '../database/database.ts';
import { reservedConnectionsMax } from '../database/limits.ts';
import { withRetry } from '../database/retry.ts';
import { type Renewed, toRenewedOf } from '../rows/rows.ts';
import { statements } from '../rows/statements.ts';

type Renewal = {
  readonly key: ConversationKey;
  readonly fence: number;
  readonly ttlMs: number;
  readonly resolve: (renewed: Renewed | undefined) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Renews the leases of one process; one statement renews all that were requested while others ran. A process with many
 * leases under load sends the next statement only when it has read a reply, so a statement for each lease would be late.
 */
export class Renewals {
  readonly #database: Database;
  #requested: Renewal[] = [];
  #running = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined: a writer has locked the row, or the lease is lost. */
  renew(
    key: ConversationKey,
    { fence, ttlMs }: { fence: number; ttlMs: number },
  ): Promise<Renewed | undefined> {
    return new Promise((resolve, reject) => {
      this.#requested.push({ key, fence, ttlMs, resolve, reject });
      // With one connection that hangs, the other still renews.
      if (this.#running < reservedConnectionsMax) void this.#run();
    });
  }

  /** Never rejects: a failure goes to the callers. */
  async #run(): Promise<void> {
    this.#running += 1;
    while (this.#requested.length > 0) {
      const batch = this.#requested;
      this.#requested = [];
      try {
        const renewed = await this.#renewAll(batch);
        for (const { key, resolve } of batch) resolve(renewed.get(key));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running -= 1;
  }

  async #renewAll(batch: readonly Renewal[]): Promise<ReadonlyMap<ConversationKey, Renewed>> {
    const columns = [
      batch.map(({ key }) => String(key)),
      batch.map(({ fence }) => String(fence)),
      batch.map(({ ttlMs }) => String(ttlMs)),
    ];
    const rows = await withRetry(() => this.#database.query(statements.renewAll, columns));
    return new Map(rows.map(toRenewedOf));
  }
}
