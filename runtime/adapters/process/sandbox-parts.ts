import type { Profile } from '../../../supervisor/cell/profile.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ExecutorFiles } from './executor-files.ts';
import type { SandboxHelper } from './helper.ts';
import type { StagingDir } from './staging-dir.ts';

/** What all sandboxes of a worker are made with. */
export type SandboxParts = {
  readonly stage: StagingDir;
  readonly bwrap: string;
  readonly python: string;
  readonly helper: SandboxHelper;
  readonly executor: ExecutorFiles;
  readonly blobs: BlobStore;
  readonly profile: Profile;
  readonly hidden: readonly string[];
};
