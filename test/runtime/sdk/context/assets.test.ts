import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openAsset } from '../../../../runtime/sdk/compile/context/assets.ts';
import { defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../../runtime/testing/index.ts';
import { bundleWith, openFolder } from '../kit.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeEach(async () => {
  folder = await openFolder({
    'desk/orders.json': '[{"n": 1}]',
    'desk/odd.json': '{',
    'key.txt': 'k',
  });
});
afterEach(() => folder[Symbol.asyncDispose]());

const Orders = z.array(z.object({ n: z.int() }));

// proves: sdk.assets
test('a tool reads a file next to the source of its bundle', async () => {
  const count = defineTool({
    id: 'desk.count',
    description: 'Counts.',
    input: z.object({}),
    run: async (_, ctx) => (await ctx.asset('./orders.json').json(Orders)).length,
  });
  const model = [{ call: { tool: 'desk.count', input: {} } }, { answer: 'One.' }];
  const dir = join(folder.dir, 'desk');
  await using runtime = await openRuntime({ bundle: bundleWith([count]), model, dir });
  const turn = await runtime.send('How many?');
  await turn.done();
  expect(
    (await turn.blocks()).find(({ type }) => type === 'react.tool.result')?.data,
  ).toMatchObject({
    ...{ ok: true, ret: 1 },
  });
});

// proves: sdk.assets
test('an asset can be read as text, bytes, a stream or checked JSON, and has a path', async () => {
  const dir = join(folder.dir, 'desk');
  const asset = openAsset(dir, 'orders.json');
  expect(asset.path).toBe(join(dir, 'orders.json'));
  expect(await asset.text()).toBe('[{"n": 1}]');
  expect(Buffer.from(await asset.bytes()).toString()).toBe('[{"n": 1}]');
  expect((await buffer(asset.stream())).toString()).toBe('[{"n": 1}]');
  await expect(asset.json(z.array(z.string()))).rejects.toThrow(/STORED_INVALID.*orders\.json: 0/);
  await expect(openAsset(dir, 'odd.json').json(Orders)).rejects.toThrow(/odd\.json is not valid/);
});

// proves: sdk.assets
test("a path outside the bundle's folder, also through a link, is refused", async () => {
  const dir = join(folder.dir, 'desk');
  await symlink(join(folder.dir, 'key.txt'), join(dir, 'link.txt'));
  for (const name of ['../key.txt', 'a/../../key.txt', '..', '', 'link.txt']) {
    expect(() => openAsset(dir, name)).toThrow(/outside the bundle's folder/);
  }
  expect(() => openAsset(dir, join(folder.dir, 'key.txt'))).toThrow(/not found in the bundle/);
  expect(() => openAsset(dir, 'none.csv')).toThrow(/none\.csv not found/);
});
