import type Docker from 'dockerode';
import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import type { DockerLayout } from './images.ts';

/** Supported container runtimes. */
export type DockerRuntime = 'runc' | 'runsc' | 'crun';

/** gVisor runs programs on a kernel of its own, with its own processes and file systems. */
export function hasOwnKernel(runtime: DockerRuntime | undefined): boolean {
  return runtime === 'runsc';
}

/**
 * Refusals `runtime_missing` if the engine does not know the runtime, and `runtime_unfit` if gVisor is configured in a
 * way that cannot run programs. Never falls back to another runtime.
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
    const how = 'remove `docker: combined`, or use runc or crun';
    const because = 'the guard of the combined layout is not tested with it';
    throw new Refusal(
      'runtime_unfit',
      `runsc does not support the combined layout: ${because}; ${how}`,
    );
  }
  const unsaid = needed.filter(({ said }) => !found.runtimeArgs.some((each) => said.test(each)));
  // For a runtime without a path the engine does not show the arguments.
  if (found.path === undefined || unsaid.length === 0) return;
  const words = unsaid.map(({ word }) => word).join(' and ');
  const how = `add ${words} to its "runtimeArgs" in /etc/docker/daemon.json and reload the engine`;
  const because = 'programs must have no network, and their stream is a socket on the host';
  throw new Refusal('runtime_unfit', `runsc runs without ${words}; ${because}: ${how}`);
}

function missing(runtime: DockerRuntime, names: string): Refusal {
  const how = `install it and add it to the engine's configuration (${example(runtime)} in /etc/docker/daemon.json)`;
  const message = `the Docker engine has no runtime ${runtime}, only ${names}; ${how}, or choose another one`;
  return new Refusal('runtime_missing', message);
}

function example(runtime: DockerRuntime): string {
  const args = hasOwnKernel(runtime) ? { runtimeArgs: needed.map(({ word }) => word) } : {};
  return JSON.stringify({ runtimes: { [runtime]: { path: `/usr/bin/${runtime}`, ...args } } });
}

/** Required gVisor arguments, and how its releases since 2023 and the one before them write these. */
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
