import { Fault } from '../../../base/fault.ts';
import { silentLog } from '../../../base/log.ts';
import { Scope } from '../../../base/scope.ts';
import { assertRoom } from '../../../engine/agent/prompt-room.ts';
import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import { refOf } from '../../../sdk/define/model.ts';
import { loadConfiguredBundles, openBundles } from '../../bundles/open-bundles.ts';
import { openServers } from '../../bundles/open-tool-servers.ts';
import type { Config } from '../../config/config.ts';
import { Models } from '../../models/models.ts';
import { openBarePlatform } from '../../sandbox/bare-platform.ts';
import { bundlesByProject } from '../../server/open-projects.ts';
import { type Finding, runCheck } from './doctor-finding.ts';

/** Checks that the bundles load with their settings in every project, and that every model of their agents can be opened. */
export async function checkAgents(
  config: Config,
  signal: AbortSignal,
): Promise<readonly [Finding, Finding]> {
  await using scope = new Scope();
  const { platform, storage } = openBarePlatform(scope);
  const agents: AgentSettings[] = [];
  const models = new Models(config);
  const found = await runCheck('bundles', async () => {
    const all = await loadConfiguredBundles(config, { log: silentLog, signal });
    const shared = { platform, log: silentLog, scope, signal, models, storage };
    const texts: string[] = [];
    for (const { name, config: own, configured } of bundlesByProject(config, all)) {
      const servers = openServers(own, { log: silentLog, scope, works: true });
      const bundles = await openBundles(own, { ...shared, configured, servers });
      agents.push(...bundles.flatMap((bundle) => bundle.agents));
      const listed = bundles.map(({ id, version }) => `${id} ${version}`).join(', ');
      texts.push(name === undefined ? listed : `in ${name}: ${listed}`);
    }
    for (const agent of agents) assertRoom(agent);
    return texts.join('; ');
  });
  const model = await runCheck('model', async () => {
    await models.open([{ place: config, agents }]);
    const named = [
      config.model ?? [],
      ...agents.map(({ models: { decision } }) => (decision ? refOf(decision) : [])),
    ].flat();
    if (named.length === 0) throw new Fault('MODEL_NOT_CONFIGURED');
    return [...new Set(named)].join(', ');
  });
  return [found, model];
}
