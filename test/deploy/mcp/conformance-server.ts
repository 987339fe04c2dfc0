import { join } from 'node:path';
import type { Scope } from '../../../runtime/base/scope.ts';
import { withBundleSettings } from '../../../runtime/cli/commands/bundle/bundle-with-settings.ts';
import { readConfig } from '../../../runtime/cli/config/config.ts';
import { openServer, type Server } from '../../../runtime/cli/server/open-server.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { conformanceBundle } from './conformance-bundle.ts';

/** A server with the suite's bundle, whose tools load it again as an operator does. Returns the address of the endpoint. */
export async function openConformanceServer(scope: Scope): Promise<string> {
  const { dir } = scope.own(
    await openFolder({
      'assembly.yaml': 'supervisors: in_worker\n',
      'script.yaml': 'replies: []\n',
    }),
  );
  const config = readConfig({
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
    TIMELOOM_PORT: '0',
    TIMELOOM_LOG: 'error',
  });
  const more = { tools: 0, prompts: 0 };
  let server: Server | undefined;
  const loadBundles = async () => {
    const definition = conformanceBundle({ more, reload: async () => server?.reload() });
    const revision = JSON.stringify(more);
    return [withBundleSettings({ definition, revision, dir, module: '' }, config)];
  };
  const { signal } = new AbortController();
  const roles = { worker: true, gateway: true };
  server = await openServer(config, { scope, signal, roles, loadBundles });
  return `${server.url}/api/bundles/dev/dev/conformance/mcp/suite`;
}
