import { join } from 'node:path';
import { Scope } from '../../../runtime/base/scope.ts';
import { readConfig } from '../../../runtime/cli/config/config.ts';
import { openServer } from '../../../runtime/cli/server/open-server.ts';
import { root } from '../../architecture/tree.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';

/** The address that the guides write. */
export const guideAddress = 'http://127.0.0.1:3000';
export const sampleAnswer = 'It is the cache.';

const bundleOf = (id: string) => `
import { defineAgent, defineBundle } from 'timeloom/sdk';
const main = defineAgent({ id: 'main', instruction: 'Help.' });
export const bundle = defineBundle({ id: '${id}', version: '1', agents: [main] });
`;
const bundles = `
bundles:
  - { id: desk, path: ./desk }
  - { id: bar, path: ./bar }
  - { id: library-with-endpoint, path: ./library }
`;
const endpoint = join(root, 'test/guide/library/mcp/with-endpoint.ts');

/** A server with the bundles that the guides for clients name; every turn ends with the same answer. */
export async function openSampleServer(settings: Readonly<Record<string, string>> = {}) {
  const scope = new Scope();
  const folder = await openFolder({
    'bundles.yaml': bundles,
    'desk/bundle.ts': bundleOf('desk'),
    'bar/bundle.ts': bundleOf('bar'),
    'library/bundle.ts': `export { bundle } from ${JSON.stringify(endpoint)};`,
    'script.yaml': `replies:\n${`  - { answer: ${sampleAnswer} }\n`.repeat(5)}`,
  });
  scope.own(folder);
  const config = readConfig({
    TIMELOOM_CONFIG_DIR: folder.dir,
    TIMELOOM_DATA_DIR: join(folder.dir, 'data'),
    TIMELOOM_MODEL: `scripted:${join(folder.dir, 'script.yaml')}`,
    TIMELOOM_PORT: '0',
    TIMELOOM_LOG: 'error',
    ...settings,
  });
  const roles = { worker: true, gateway: true };
  const { url } = await openServer(config, { scope, signal: new AbortController().signal, roles });
  return { url, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
}
