import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withNearbyDescriptors } from '../../../../../runtime/cli/commands/bundle/nearby-descriptors.ts';
import { readConfig } from '../../../../../runtime/cli/config/config.ts';
import { openFolder } from '../../../sdk/kit.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeEach(async () => {
  folder = await openFolder({ 'desk/bundle.ts': '' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

// proves: cli.here
test('in a bundle folder, that bundle is the default, and its data folder is hidden', () => {
  const dir = join(folder.dir, 'desk');
  vi.spyOn(process, 'cwd').mockReturnValue(dir);
  expect(readConfig({})).toMatchObject({
    ...{ bundleSources: [dir], dataDir: join(dir, '.timeloom/data') },
  });
  const configured = readConfig({ TIMELOOM_BUNDLES: '/other', TIMELOOM_DATA_DIR: '/data' });
  expect(configured).toMatchObject({ bundleSources: ['/other'], dataDir: '/data' });
});

// proves: cli.here
test('descriptors in the folder of a bundle or in its parent are found', async () => {
  const dir = join(folder.dir, 'desk');
  const env = { TIMELOOM_LOG: 'info' };
  expect(withNearbyDescriptors(dir, env)).toEqual(env);
  await writeFile(join(folder.dir, 'bundles.yaml'), 'bundles: []\n');
  expect(withNearbyDescriptors(dir, env)).toEqual({ ...env, TIMELOOM_CONFIG_DIR: folder.dir });
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'bundles.yaml'), 'bundles: []\n');
  expect(withNearbyDescriptors(dir, env)).toEqual({ ...env, TIMELOOM_CONFIG_DIR: dir });
  const said = { TIMELOOM_CONFIG_DIR: '/etc/timeloom' };
  expect(withNearbyDescriptors(dir, said)).toBe(said);
});
