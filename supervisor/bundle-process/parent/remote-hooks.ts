import { Work } from '../../../runtime/base/signal.ts';
import { hookTimeoutMs } from '../../../runtime/sdk/contract/limits.ts';
import type { HookRunner, HookSite } from '../../../runtime/sdk/contract/runtime-hooks.ts';
import { type HookRun, hookMethod } from '../rpc/hook-protocol.ts';
import { cancelAckMsMax } from '../rpc/limits.ts';
import { type BundleProcess, occasionOf } from './bundle-process.ts';

type RunInProcess = <Answer>(
  signal: AbortSignal,
  act: (process: BundleProcess) => Promise<Answer>,
) => Promise<Answer>;

/** Hooks that are declared here and run in another process. An endless loop in a hook only ends that process. */
export function remoteHooks({ points, pointsOf }: HookRunner, perform: RunInProcess): HookRunner {
  return {
    points,
    pointsOf,
    run: (point, subject, site) => {
      const deadlineMs = (points.get(point) ?? 0) * hookTimeoutMs + cancelAckMsMax;
      return perform(signalOf(site), async (process) => {
        using work = new Work(signalOf(site), { deadlineMs });
        return await process.withCall(whoOf(site, work.signal), (peer, call) =>
          peer.ask(hookMethod, { call, point, subject, site: toCarried(site) }),
        );
      });
    },
  };
}

function signalOf(site: HookSite): AbortSignal {
  return site.kind === 'call' ? site.call.signal : site.signal;
}

function whoOf(site: HookSite, signal: AbortSignal) {
  if (site.kind === 'event') return { user: site.user, signal };
  return { context: { ...site.call, signal }, agent: site.agent };
}

function toCarried(site: HookSite): HookRun['site'] {
  if (site.kind === 'call') {
    return { kind: 'call', agent: site.agent, occasion: occasionOf(site.call) };
  }
  const { kind, user, conversation, agent } = site;
  return {
    ...{ kind, user },
    ...(conversation === undefined ? {} : { conversation }),
    ...(agent === undefined ? {} : { agent }),
  };
}
