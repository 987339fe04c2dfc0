import { defaultProfile, type Profile } from '../../../supervisor/cell/profile.ts';
import { createSandbox } from '../../../supervisor/execution/create-sandbox.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import { layouts } from './cell/layouts.ts';
import { openDockerCell } from './cell/open-cell.ts';
import { connectDocker } from './engine/connect.ts';
import { baseDefault, type DockerLayout, ensureImages } from './engine/images.ts';
import { assertRuntime, type DockerRuntime } from './engine/runtimes.ts';
import { opensWith } from './engine/volumes.ts';
import { openOwner } from './owner.ts';
import { createLabeller, openContainerReaper } from './reap.ts';

type Options = {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  /** As in DOCKER_HOST; the default socket if undefined. */
  readonly dockerHost: string | undefined;
  /** Warm executors for each kind of program; none if undefined. */
  readonly pool?: number;
  /** An image with Node and Python to build the sandbox images on. */
  readonly base?: string;
  /** Network of supervisors; executors have none. */
  readonly network?: string;
  readonly profile?: Profile;
  /** Container runtime of the executor; the engine must know it. */
  readonly runtime?: DockerRuntime;
  /** Two containers for each execution, or one with weaker isolation; two if undefined. */
  readonly layout?: DockerLayout;
};

/**
 * Runs generated code in Docker: one supervisor and one executor for each execution. Builds the sandbox images if they
 * are missing. Refusals `docker_missing`, `runtime_missing`, `runtime_unfit` and `image_missing`.
 */
export async function openDockerSandbox(options: Options): Promise<Sandbox & AsyncDisposable> {
  const { dockerHost, base = baseDefault, network = 'none', pool = 0, runtime } = options;
  const { layout = 'split' } = options;
  const { blobs, clock, log, profile = defaultProfile } = options;
  const { startContainers, backend } = layouts[layout];
  const docker = await connectDocker(dockerHost);
  if (runtime !== undefined) await assertRuntime(docker, { runtime, layout });
  const images = await ensureImages(docker, { base, layout });
  const scope = new Scope();
  const owner = scope.own(await openOwner());
  scope.own(openContainerReaper(docker, { clock, log }));
  const labels = createLabeller(owner.name, clock);
  const parts = { docker, images, network, profile, runtime, labels, blobs, log, startContainers };
  return createSandbox({
    backend,
    open: (kind, way) => openDockerCell(kind, parts, way),
    ...{ opensWith, pool, profile, blobs, clock, log, scope },
  });
}
