import { connectDocker } from '../../../runtime/adapters/docker/engine/connect.ts';
import { baseDefault, ensureImages } from '../../../runtime/adapters/docker/engine/images.ts';
import { openDockerSandbox } from '../../../runtime/adapters/docker/sandbox.ts';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { startDocker } from '../../tools/services/docker.ts';
import type { Figure } from '../figure.ts';
import { benchBurst } from './burst.ts';
import { compare, inSandbox, programs, rested, toFirstLine } from './first-line.ts';

/** Enough that each has time to be replaced by one that is ready. */
const pool = 4;

/** A container for the program and one for its supervisor, beside one `docker run` of the same image. */
export async function benchDocker(): Promise<readonly Figure[]> {
  await using scope = new Scope();
  const { host } = scope.own(await startDocker());
  const parts = { blobs: openMemoryBlobStore(), clock: systemClock, log: silentLog };
  const cold = scope.own(await openDockerSandbox({ ...parts, dockerHost: host }));
  const warm = scope.own(await openDockerSandbox({ ...parts, dockerHost: host, pool }));
  const inProcess = scope.own(await openProcessSandbox({ ...parts, pool }));
  const { executor } = await ensureImages(await connectDocker(host), { base: baseDefault });
  const flags = ['--rm', '--network=none', '--entrypoint=python3', executor];
  const bare = ['--host', host, 'run', ...flags, '-I', '-c', programs.python];
  const theirs = () => toFirstLine('docker', bare);
  const python = 'python';
  return [
    await compare('exec.docker_pool_vs_docker_run', rested(inSandbox(warm, python)), theirs),
    await compare('exec.process_pool_vs_docker_run', rested(inSandbox(inProcess, python)), theirs),
    await compare('exec.docker_cold_vs_docker_run', inSandbox(cold, python), theirs),
    await benchBurst('exec.process_burst_100_vs_docker_run', inProcess, theirs),
  ];
}
