import { Fault } from '../../../base/fault.ts';
import { workspaceCheckMs } from './limits.ts';
import type { Workspace } from './workspace.ts';

type Options = {
  readonly bytesMax: number;
  exceeded(fault: Fault): void;
};

/** Checks the size of a workspace while its program works: a folder of this machine has no limit of its own. */
export function watchSize(workspace: Workspace, { bytesMax, exceeded }: Options): AsyncDisposable {
  let checks: Promise<void> = Promise.resolve();
  const check = async () => {
    const bytes = await workspace.bytes().catch(() => 0);
    if (bytes > bytesMax)
      exceeded(new Fault('AGENT_LIMIT', { because: `its workspace has ${bytes} bytes` }));
  };
  const timer = setInterval(() => {
    checks = checks.then(check);
  }, workspaceCheckMs).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await checks;
    },
  };
}
