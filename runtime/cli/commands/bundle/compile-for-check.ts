import { parseModelRef } from '../../../adapters/models/open-models.ts';
import { silentLog } from '../../../base/log.ts';
import { Scope } from '../../../base/scope.ts';
import { assertRoom } from '../../../engine/perform/ask/prompt.ts';
import { nowhere } from '../../../sdk/compile/lifecycle/supervisor.ts';
import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import { refOf } from '../../../sdk/define/model.ts';
import { openBundle } from '../../bundles/open-bundle.ts';
import type { SetBundle } from '../../config/bundle-settings.ts';
import type { Config } from '../../config/config.ts';
import { Models } from '../../models/models.ts';
import { openBarePlatform } from '../../sandbox/bare-platform.ts';
import { type At, type BundleFinding, findingsOf, toFinding } from './bundle-finding.ts';
import type { Places } from './source-locations.ts';

type Checking = { readonly config: Config; readonly places: Places; readonly signal: AbortSignal };

/** What the loader itself says of it, without `onLoad` and without its servers. Fault `BUNDLE_INVALID`. */
export async function compileForCheck(
  set: SetBundle,
  { config, places, signal }: Checking,
): Promise<readonly BundleFinding[]> {
  await using scope = new Scope();
  const { platform, storage } = openBarePlatform(scope);
  const lent = { log: silentLog, models: new Models(config), storage, unused: set.unused };
  const bundle = await openBundle(config, set, { platform, signal, lent, supervise: nowhere });
  scope.defer(() => bundle.dispose());
  const at = { dir: set.dir, places };
  return [
    ...bundle.notices.map((says) => toFinding({ level: 'warning', what: 'notice', says }, at)),
    ...bundle.agents.flatMap((agent) => findInAgent(agent, at)),
  ];
}

function findInAgent(agent: AgentSettings, at: At): readonly BundleFinding[] {
  const refs = new Set(Object.values(agent.models).map(refOf));
  return [
    ...[...refs].flatMap((ref) => tried(() => parseModelRef(ref), { at, what: 'model' })),
    ...tried(() => assertRoom(agent), { at, what: 'room' }),
  ];
}

function tried(
  check: () => unknown,
  of: { readonly at: At; readonly what: BundleFinding['what'] },
): readonly BundleFinding[] {
  try {
    check();
    return [];
  } catch (error) {
    return findingsOf(error, of);
  }
}
