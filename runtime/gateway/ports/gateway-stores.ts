import type { JobStore } from '../../engine/ports/jobs.ts';
import type { EntryStore } from '../../sdk/compile/host/key-value-store.ts';
import type { UserSecrets } from '../../sdk/contract/user-secrets.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { TimelineStore } from '../../timeline/ports/store.ts';
import type { LongTermMemory } from '../../tools/ports/long-term-memory.ts';

/** What the gateway reads and writes. */
export type GatewayStores = {
  readonly store: TimelineStore;
  readonly blobs: BlobStore;
  /** Values of bundles and their users, and uploads until they are complete. */
  readonly storage: EntryStore;
  /** Secrets that users set for themselves. */
  readonly userSecrets: UserSecrets;
  /** Facts that outlive conversations. Absent: there are none. */
  readonly memory?: LongTermMemory | undefined;
  /** Whose counts `/metrics` shows. */
  readonly jobs?: Pick<JobStore, 'counts'>;
};
