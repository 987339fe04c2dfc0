import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { type Config, readConfig } from '../../../runtime/cli/config/config.ts';
import { openServer } from '../../../runtime/cli/server/open-server.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const source = `
import { defineAgent, defineBundle, defineOperation } from 'timeloom/sdk';
import { z } from 'zod';
const count = defineOperation({ id: 'count', input: z.object({}), async run(_, ctx) {
  const n = ((await ctx.storage.bundle.get('n', z.int())) ?? 0) + 1;
  await ctx.storage.bundle.set('n', n);
  return n;
} });
export const bundle = defineBundle({
  id: 'counter', version: '1', operations: [count],
  agents: [defineAgent({ id: 'main', instruction: 'x' })],
});
`;

// proves: storage.durable
test('a server that starts again continues with the stored values, in both isolations', async () => {
  await using folder = await openFolder({
    'bundles.yaml': 'bundles:\n  - { id: counter, path: ./counter }\n',
    'counter/bundle.ts': source,
    'apart/assembly.yaml': 'supervisors: separate\n',
    'apart/bundles.yaml': 'bundles:\n  - { id: counter, path: ../counter }\n',
  });
  const { dir } = folder;
  const configOf = (place: string) =>
    readConfig({
      TIMELOOM_CONFIG_DIR: place,
      TIMELOOM_DATA_DIR: join(dir, 'data'),
      TIMELOOM_PORT: '0',
      TIMELOOM_LOG: 'error',
    });
  expect(await counted(configOf(dir))).toEqual({ ok: true, ret: 1 });
  expect(await counted(configOf(join(dir, 'apart')))).toEqual({ ok: true, ret: 2 });
  expect(await counted(configOf(dir))).toEqual({ ok: true, ret: 3 });
});

/** What the operation answers in a server that ends after it. */
async function counted(config: Config): Promise<unknown> {
  await using scope = new Scope();
  const { signal } = new AbortController();
  const roles = { worker: false, gateway: true };
  const { url } = await openServer(config, { scope, signal, roles });
  const place = `${url}/api/bundles/dev/dev/counter/operations/count`;
  return await (
    await fetch(place, { method: 'POST', headers: { 'x-timeloom-client': 'test' } })
  ).json();
}
