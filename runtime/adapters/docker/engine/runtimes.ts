import type Docker from 'dockerode';
import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import type { DockerLayout } from './images.ts';

/** Runtimes of containers that may stand between a program and the kernel. */
export type DockerRuntime = 'runc' | 'runsc' | 'crun';

/** gVisor: between a program and the machine's kernel stands another one, with processes and file systems of its own. */
export function hasOwnKernel(runtime: DockerRuntime | undefined): boolean {
  return runtime === 'runsc';
}

/**
 * Refusals `runtime_missing` when the engine does not know the runtime, and `runtime_unfit` when it was told of gVisor in
 * a way that no program could be run with; another one is never taken instead.
 */
export async function assertRuntime(
  docker: Docker,
  { runtime, layout }: { runtime: DockerRuntime; layout: DockerLayout },
): Promise<void> {
  const { Runtimes: known } = Info.parse(await docker.info());
  const found = known[runtime];
  if (found === undefined) throw missing(runtime, Object.keys(known).join(', '));
  if (!hasOwnKernel(runtime)) return;
  if (layout === 'combined') {
    const how = 'leave out `docker: combined`, or name runc or crun';
    const because = 'its guard of a shared container has not been proven there';
    throw new Refusal(
      'runtime_unfit',
      `runsc runs programs in containers of their own: ${because}; ${how}`,
    );
  }
  const unsaid = needed.filter(({ said }) => !found.runtimeArgs.some((each) => said.test(each)));
  // Of a runtime without a path the engine does not tell how it is run.
  if (found.path === undefined || unsaid.length === 0) return;
  const words = unsaid.map(({ word }) => word).join(' and ');
  const how = `add ${words} to its "runtimeArgs" in /etc/docker/daemon.json and tell the engine to read it`;
  const because = 'programs have no network there, and their stream is a socket of the machine';
  throw new Refusal('runtime_unfit', `runsc is run without ${words}; ${because}: ${how}`);
}

function missing(runtime: DockerRuntime, names: string): Refusal {
  const how = `install it and tell the engine of it (${example(runtime)} in /etc/docker/daemon.json)`;
  const message = `the Docker engine has no runtime ${runtime}, only ${names}; ${how}, or name another one`;
  return new Refusal('runtime_missing', message);
}

function example(runtime: DockerRuntime): string {
  const args = hasOwnKernel(runtime) ? { runtimeArgs: needed.map(({ word }) => word) } : {};
  return JSON.stringify({ runtimes: { [runtime]: { path: `/usr/bin/${runtime}`, ...args } } });
}

/** Of gVisor, in the words of its releases since 2023, and the one before them. */
const needed = [
  { word: '--network=none', said: /^--?network=none$/ },
  { word: '--host-uds=open', said: /^--?(host-uds=(open|all)|fsgofer-host-uds(=true)?)$/ },
] as const;

const Info = z.object({
  Runtimes: z.record(
    z.string(),
    z.object({
      path: z.string().optional(),
      runtimeArgs: z
        .array(z.string())
        .nullish()
        .transform((args) => args ?? []),
    }),
  ),
});
