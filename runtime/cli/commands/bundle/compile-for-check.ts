import { parseModelRef } from '../../../adapters/models/open-models.ts';
import { silentLog } from '../../../base/log.ts';
import { Scope } from '../../../base/scope.ts';
import { assertRoom } from '../../../engine/agent/prompt-room.ts';
import { withoutCode } from '../../../sdk/compile/lifecycle/supervisor.ts';
import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import { refOf } from '../../../sdk/define/model.ts';
import { openBundle } from '../../bundles/open-bundle.ts';
import type { ConfiguredBundle } from '../../config/bundle-settings.ts';
import type { Config } from '../../config/config.ts';
import { Models } from '../../models/models.ts';
import { openBarePlatform } from '../../sandbox/bare-platform.ts';
import {
  type BundleFinding,
  type FindingContext,
  findingsOf,
  toFinding,
} from './bundle-finding.ts';
import type { SourceLocations } from './source-locations.ts';

type CheckContext = {
  readonly config: Config;
  readonly places: SourceLocations;
  readonly signal: AbortSignal;
};

/** Compiles the bundle as the loader does, without `onLoad` and without servers. Fault `BUNDLE_INVALID`. */
export async function compileForCheck(
  set: ConfiguredBundle,
  { config, places, signal }: CheckContext,
): Promise<readonly BundleFinding[]> {
  await using scope = new Scope();
  const { platform, storage } = openBarePlatform(scope);
  const { disabledServers } = set;
  const resources = { log: silentLog, models: new Models(config), storage, disabledServers };
  const bundle = await openBundle(config, set, {
    platform,
    signal,
    resources,
    supervise: withoutCode,
  });
  scope.defer(() => bundle.dispose());
  const at = { dir: set.dir, places };
  return [
    ...bundle.notices.map((says) => toFinding({ level: 'warning', what: 'notice', says }, at)),
    ...bundle.agents.flatMap((agent) => checkAgent(agent, at)),
  ];
}

function checkAgent(agent: AgentSettings, at: FindingContext): readonly BundleFinding[] {
  const refs = new Set(Object.values(agent.models).map(refOf));
  return [
    ...[...refs].flatMap((ref) => problemsOf(() => parseModelRef(ref), { at, what: 'model' })),
    ...problemsOf(() => assertRoom(agent), { at, what: 'room' }),
  ];
}

function problemsOf(
  check: () => unknown,
  of: { readonly at: FindingContext; readonly what: BundleFinding['what'] },
): readonly BundleFinding[] {
  try {
    check();
    return [];
  } catch (error) {
    return findingsOf(error, of);
  }
}
