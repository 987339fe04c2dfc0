import type { Profile } from '../../../../supervisor/cell/profile.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { Secrets } from '../aws/secrets.ts';
import type { Tasks } from '../aws/tasks.ts';
import type { BucketObjects } from '../queue/bucket.ts';
import type { FargateSettings } from '../settings/settings.ts';

/** What all cells of one sandbox share. */
export type SandboxParts = {
  readonly settings: FargateSettings;
  readonly tasks: Tasks;
  readonly secrets: Secrets;
  /** Objects below the prefix in the settings; the opener closes them. */
  readonly bucket: BucketObjects;
  /** Blobs in a folder of that bucket. */
  readonly snapshots: (folder: string) => BlobStore;
  readonly blobs: BlobStore;
  readonly profile: Profile;
  readonly clock: Clock;
  readonly log: Log;
  /** Name of the owner that writes heartbeats. */
  readonly owner: string;
};
