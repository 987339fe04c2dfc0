import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { Scope } from '../../../base/scope.ts';
import type { AgentSandbox } from '../../../engine/ports/agent-sandbox.ts';
import { connectDocker } from '../engine/connect.ts';
import { baseDefault, existingImage } from '../engine/images.ts';
import { openOwner } from '../owner.ts';
import { openContainerReaper, toLabels } from '../reap.ts';
import { agentLifeMsMax } from './limits.ts';
import { startContainer } from './start-container.ts';

type Options = {
  /** As in DOCKER_HOST; the engine must be on this machine, because it mounts folders of it. */
  readonly dockerHost: string | undefined;
  /** An image with Node.js; the base image of the sandboxes if undefined. */
  readonly image?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

/** Runs each agent program in a container of its own. Refusals `docker_missing` and `image_missing`. */
export async function openDockerAgentSandbox(options: Options): Promise<AgentSandbox> {
  const { dockerHost, image = baseDefault, clock, log } = options;
  const docker = await connectDocker(dockerHost);
  await existingImage(docker, image);
  const scope = new Scope();
  const owner = scope.own(await openOwner());
  scope.own(openContainerReaper(docker, { clock, log }));
  const labels = () =>
    toLabels({
      cell: `agent-${randomBytes(8).toString('hex')}`,
      owner: owner.name,
      deadlineMs: clock.now() + agentLifeMsMax,
    });
  return {
    open: (program, { signal }) =>
      startContainer(program, { docker, image, labels: labels() }, signal),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
