import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { fetchContext } from '../../../../runtime/tools/exec/host/fetch-context.ts';
import { isQuick } from '../../gateway/http/hostile-kit.ts';
import { openWorld, past, turn } from '../kit.ts';

const rows = Array.from({ length: 3000 }, (_, id) => ({ id }));
const tool = createTool({
  id: 'demo.rows',
  kind: 'bundle',
  description: 'rows',
  input: z.object({ many: z.boolean().default(false) }),
  run: async ({ many }, { services }) => {
    await services.addSources([{ url: 'https://a.io', title: 'A' }]);
    return { result: { ok: true, ret: many ? rows : { n: 1 } } };
  },
});

test('a program fetches messages, calls, results and sources', async () => {
  const world = await openWorld();
  await world.perform(tool, {}, { call: toCallId('tc_small') });
  await world.perform(tool, { many: true }, { call: toCallId('tc_large') });
  const { services } = await world.contextOf(tool, {});
  const fetch = (path: string) => fetchContext(path, services);
  expect(await fetch(`ar:${past}.user.prompt`)).toMatchObject({
    ret: { text: 'hello from conv_main' },
    err: null,
  });
  expect(await fetch(`tc:${turn}.tc_large.call`)).toMatchObject({
    ret: { payload: { many: true } },
  });
  expect(await fetch(`tc:${turn}.tc_small.result`)).toMatchObject({ ret: { payload: { n: 1 } } });
  expect(await fetch(`tc:${turn}.tc_large.result`)).toMatchObject({ ret: { payload: rows } });
  for (const path of ['so:sources_pool[1]', 'so:sources_pool', 'conv:so:sources_pool']) {
    expect(await fetch(path)).toMatchObject({ ret: [{ sid: 1, url: 'https://a.io' }], err: null });
  }
});

test('files, skills, invalid paths and missing paths have different codes, and none of them throws', async () => {
  const world = await openWorld();
  const { services } = await world.contextOf(tool, {});
  const codes = [
    'fi:turn_1.outputs/x',
    'sk:a.b',
    'ks:a/b',
    'nonsense',
    'ar:turn_1.user.prompt',
  ].map(async (path) => {
    const { err } = await fetchContext(path, services);
    expect(err?.details).toBeNull();
    return err?.code;
  });
  expect(await Promise.all(codes)).toEqual([
    'invalid_path_file',
    'invalid_path_skill',
    'invalid_path',
    'invalid_path',
    'not_found',
  ]);
});

/** JSON of `bytes` characters, as stored in the blob of a call. */
const slow: Readonly<Record<string, (bytes: number) => string>> = {
  'empty lists': (bytes) => `[${'[],'.repeat(bytes / 3)}[]]`,
  objects: (bytes) => `[${'{"a":1},'.repeat(bytes / 8)}{}]`,
  'escaped quotes': (bytes) => `["${'\\"'.repeat(bytes / 2)}"]`,
};

// proves: exec.fetch-turns
test.each(Object.entries(slow))(
  'a program that fetches a large result of %s does not block the event loop for long',
  async (_, json) => {
    for (const bytes of [1_400_000, 4_000_000]) {
      const blob = Buffer.from(json(bytes));
      const path = paths.result(toTurnId(turn), toCallId('tc_1'));
      const resolved = {
        path,
        mime: 'application/json',
        data: { ok: true },
        blob: { hash: 'h', size: blob.length },
      };
      const services = { read: async () => resolved, bytes: async () => blob };
      const fetched = { text: '' };
      const quick = await isQuick(async () => {
        const { ret } = await fetchContext(path, services);
        fetched.text = isJsonObject(ret) ? String(ret['text']) : '';
      });
      expect(fetched.text.length).toBeGreaterThan(1_000_000);
      expect(quick).toBe(true);
    }
  },
);
