import { connectDocker } from '../../runtime/adapters/docker/connect.ts';
import { baseDefault, ensureImages } from '../../runtime/adapters/docker/images.ts';
import { openDockerSandbox } from '../../runtime/adapters/docker/sandbox.ts';
import { openMemoryBlobStore } from '../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { startDocker } from '../tools/docker.ts';
import { type Measured, missing } from './area.ts';
import { compare, inSandbox, programs, toFirstLine } from './first-line.ts';

/** A container for the program and one for its supervisor, beside one `docker run` of the same image. */
export async function benchDocker(): Promise<Measured> {
  await using scope = new Scope();
  try {
    const { host } = scope.own(await startDocker());
    const parts = { blobs: openMemoryBlobStore(), clock: systemClock, log: silentLog };
    const sandbox = scope.own(await openDockerSandbox({ ...parts, dockerHost: host }));
    const { executor } = await ensureImages(await connectDocker(host), { base: baseDefault });
    const bare = [
      '--host',
      host,
      'run',
      '--rm',
      '--network=none',
      '--entrypoint=python3',
      executor,
    ];
    const theirs = () => toFirstLine('docker', [...bare, '-I', '-c', programs.python]);
    const ours = inSandbox(sandbox, 'python');
    return { figures: [await compare('exec.docker_python_vs_docker_run', ours, theirs)] };
  } catch (error) {
    return { figures: [], missing: [missing('exec.docker_*', error)] };
  }
}
