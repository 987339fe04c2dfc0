import type { Profile } from '../../../supervisor/cell/profile.ts';
import { openFargateSandbox } from '../../adapters/fargate/sandbox.ts';
import type { FargateSettings } from '../../adapters/fargate/settings/settings.ts';
import { s3BlobsOver } from '../../adapters/s3/blob-store.ts';
import { S3Objects } from '../../adapters/s3/objects.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';

const bucketCheckMsMax = 10_000;

type Options = {
  readonly settings: FargateSettings;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly pool?: number;
  readonly profile?: Profile;
};

/** Opens the Fargate sandbox and the bucket for its messages; closing the sandbox closes both. Throws Fault `BLOBS_UNAVAILABLE` if the bucket does not answer. */
export async function openFargate(options: Options): Promise<Sandbox & AsyncDisposable> {
  const { bucket: name, prefix, endpoints } = options.settings;
  const place = { bucket: name, prefix, endpoint: endpoints?.s3 };
  const scope = new Scope();
  const bucket = new S3Objects(place);
  scope.defer(() => bucket.close());
  try {
    await bucket.check({ signal: AbortSignal.timeout(bucketCheckMsMax) });
    const snapshots = (folder: string) => s3BlobsOver(bucket.below(folder));
    return await openFargateSandbox({ ...options, bucket, snapshots, scope });
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}
