import { join } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { describeUser, ownedBy } from '../../../../supervisor/agent/agent-user.ts';
import { takeSlotIfRoot } from '../../../../supervisor/cell/slots.ts';
import { Fault } from '../../../base/fault.ts';
import { Scope } from '../../../base/scope.ts';
import type { SandboxedProcess, SandboxedProgram } from '../../../engine/ports/agent-sandbox.ts';
import { createAttached, exitCode } from '../engine/container-streams.ts';
import { agentContainer } from './agent-container.ts';
import { agentErrorBytesMax, agentStopMsMax } from './limits.ts';

type Parts = {
  readonly docker: Docker;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
};

/** Starts a program in a container of its own, which is removed when the process is disposed. Fault `AGENT_FAILED`. */
export async function startContainer(
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
    const own = { image, uid, etc, labels };
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

/** Gives the program some time to exit before it is killed. */
async function endInput(stdin: Writable, exited: Promise<string>): Promise<void> {
  stdin.end();
  const late = new AbortController();
  const timer = setTimeout(agentStopMsMax, undefined, { signal: late.signal }).catch(
    () => undefined,
  );
  await Promise.race([exited, timer]);
  late.abort();
}
