import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { describeUser, ownedBy } from '../../../../supervisor/agent/agent-user.ts';
import { takeSlotIfRoot } from '../../../../supervisor/cell/slots.ts';
import type { Clock } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import type { Log } from '../../../base/log.ts';
import { Scope } from '../../../base/scope.ts';
import type {
  AgentSandbox,
  SandboxedProcess,
  SandboxedProgram,
} from '../../../engine/ports/agent-sandbox.ts';
import { connectDocker } from '../engine/connect.ts';
import { createAttached, exitCode } from '../engine/container-streams.ts';
import { baseDefault, existingImage } from '../engine/images.ts';
import { openOwner } from '../owner.ts';
import { openContainerReaper, toLabels } from '../reap.ts';
import { agentContainer } from './agent-container.ts';
import { agentErrorBytesMax, agentLifeMsMax, agentStopMsMax } from './limits.ts';

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
  const labels = (cell: string) =>
    toLabels({ cell, owner: owner.name, deadlineMs: clock.now() + agentLifeMsMax });
  return {
    open: (program, { signal }) => start(program, { docker, image, labels }, signal),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

type Parts = {
  readonly docker: Docker;
  readonly image: string;
  readonly labels: (cell: string) => Readonly<Record<string, string>>;
};

async function start(
  program: SandboxedProgram,
  { docker, image, labels }: Parts,
  signal: AbortSignal,
): Promise<SandboxedProcess> {
  const scope = new Scope();
  try {
    const { uid } = scope.own(await takeSlotIfRoot());
    const { workspace, home } = program;
    // Beside its folders, where the engine finds it too.
    const etc = await describeUser(join(home, '..'), uid);
    await ownedBy(uid, [workspace, home]);
    signal.throwIfAborted();
    const own = { image, uid, etc, labels: labels(`agent-${randomBytes(8).toString('hex')}`) };
    const made = await createAttached(docker, agentContainer(program, own), scope);
    const { container, stdin, stdout, stderr } = made;
    if (!(stdin instanceof Writable))
      throw new Fault('AGENT_FAILED', { because: 'its container has no input' });
    for (const stream of [stdin, stdout]) stream.on('error', () => undefined);
    const errors = lastOf(stderr);
    signal.throwIfAborted();
    await container.start();
    const code = exitCode(container).catch(() => 'unknown');
    const exited = code.then((status) => withErrors(`exit ${status}`, errors));
    // The scope removes the container afterwards, running or not.
    scope.defer(() => endInput(stdin, exited));
    return { stdin, stdout, exited, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault('AGENT_FAILED', { because: reasonOf(error) }, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return `its container did not start (${error instanceof Error ? error.message : String(error)})`;
}

/** Reads the error output, so that the program can go on writing, and keeps its end. */
function lastOf(stderr: Readable): () => string {
  let bytes = Buffer.alloc(0);
  stderr.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]).subarray(-agentErrorBytesMax);
  });
  return () => bytes.toString('utf8').trim();
}

function withErrors(how: string, errors: () => string): string {
  const text = errors();
  return text === '' ? how : `${how}: ${text}`;
}

/** Gives the program some time to end by itself. */
async function endInput(stdin: Writable, exited: Promise<string>): Promise<void> {
  stdin.end();
  const late = new AbortController();
  const timer = setTimeout(agentStopMsMax, undefined, { signal: late.signal }).catch(
    () => undefined,
  );
  await Promise.race([exited, timer]);
  late.abort();
}
