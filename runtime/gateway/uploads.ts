import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import { Refusal } from '../base/refusal.ts';
import type { BlobRef } from '../timeline/block.ts';
import type { Sender } from '../timeline/store.ts';
import { uploadsMax, uploadTtlMs } from './limits.ts';

/** A file whose bytes are durable. `preview` is its beginning, where it is textual. */
export type Hosted = {
  readonly name: string;
  readonly mime: string;
  readonly blob: BlobRef;
  readonly preview?: string;
};

type Waiting = { readonly file: Hosted; readonly owner: string; readonly untilMs: number };

/** Files that came ahead of their message. Forgotten after an hour, or with this process: then they are sent again. */
export class Uploads {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock, ids: Ids) {
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Returns the upload id that a message names. */
  keep(file: Hosted, sender: Sender): string {
    const nowMs = this.#clock.monotonic();
    for (const [id, { untilMs }] of this.#waiting) {
      if (untilMs > nowMs && this.#waiting.size < uploadsMax) break;
      this.#waiting.delete(id);
    }
    const id = this.#ids.next('op');
    this.#waiting.set(id, { file, owner: ownerOf(sender), untilMs: nowMs + uploadTtlMs });
    return id;
  }

  /** May be taken again: a message repeated after a lost answer names the same upload. */
  take(id: string, sender: Sender): Hosted {
    const found = this.#waiting.get(id);
    const fits = found?.owner === ownerOf(sender) && found.untilMs > this.#clock.monotonic();
    if (!found || !fits) {
      throw new Refusal('attachment_refused', `there is no upload ${id}; send the file again`);
    }
    return found.file;
  }
}

function ownerOf({ tenant, project, user }: Sender): string {
  return JSON.stringify([tenant, project, user]);
}
