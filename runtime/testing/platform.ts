import type { Log } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import type { Scope } from '../base/scope.ts';
import { environment } from '../cli/config/config.ts';
import { openSandbox } from '../cli/sandbox/open-sandbox.ts';
import { noWeb, openWeb } from '../cli/sandbox/open-web.ts';
import { platformTools } from '../cli/sandbox/platform-tools.ts';
import type { Ports } from '../cli/wiring/open-runtime.ts';
import type { Platform } from '../sdk/compile/agents/toolbox.ts';

export type ExecChoice = 'off' | 'process' | 'docker';

/** The runtime's tools. Throws Refusal `exec_unavailable` if programs are enabled and no sandbox is available. */
export async function openPlatform(
  { blobs, clock, ids, log }: Ports & { readonly log: Log },
  { exec, scope }: { readonly exec: ExecChoice; readonly scope: Scope },
): Promise<Platform> {
  const { sandbox, libraries, refusal } = await openSandbox({
    mode: exec,
    dockerHost: environment()['DOCKER_HOST'] || undefined,
    ...{ blobs, clock, log, scope },
  });
  if (exec !== 'off' && !sandbox) throw new Refusal('exec_unavailable', refusal ?? 'no sandbox');
  return platformTools({
    web: openWeb(noWeb, clock),
    sandbox,
    libraries,
    refusal,
    blobs,
    ids,
    clock,
  });
}
