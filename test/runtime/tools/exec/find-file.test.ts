import { expect, test } from 'vitest';
import { z } from 'zod';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { findFile } from '../../../../runtime/tools/exec/host/find-file.ts';
import type { ReadableFile } from '../../../../runtime/tools/ports/sandbox.ts';
import type { ToolResult } from '../../../../runtime/tools/ports/tool.ts';
import { openWorld, past, turn, type World } from '../kit.ts';
import { code, envelope, execTool } from './kit.ts';

const { signal } = new AbortController();

const write = createTool({
  id: 'demo.write',
  kind: 'bundle',
  description: 'writes a file',
  input: z.object({ text: z.string() }),
  run: async ({ text }, { services }) => {
    const bytes = new TextEncoder().encode(text);
    const ref = await services.writeFile({ filepath: 'outputs/a b.csv', bytes });
    return { result: { ok: true, ret: { ...ref } } };
  },
});
const read = createTool({
  id: 'demo.read',
  kind: 'bundle',
  description: 'reads a file',
  input: z.object({ path: z.string() }),
  run: async ({ path }, { services }) => {
    const found = await services.read(path);
    const ret = found === undefined ? null : Buffer.from(await services.bytes(found)).toString();
    return { result: { ok: true, ret } };
  },
});

const path = `fi:${turn}.outputs/a b.csv`;

async function textOf({ blob }: ReadableFile, world: World): Promise<string> {
  return Buffer.from(await world.blobs.get('acme', blob.hash, { signal })).toString();
}

// proves: exec.handles
test('a program reads the latest file that its tools wrote at a path, and passes it to other tools', async () => {
  const world = await openWorld();
  const found: (ReadableFile | ToolResult)[] = [];
  const program = execTool(async function* (request, host) {
    const call = (id: string, tool: string, input: Record<string, string>) =>
      host.callTool({ id, tool, input, reason: '' }, { signal });
    await expect(host.findFile(path, { signal })).rejects.toMatchObject({ code: 'not_found' });
    await call('1', 'demo.write', { text: 'one' });
    found.push(await host.findFile(path, { signal }));
    await call('2', 'demo.write', { text: 'two' });
    found.push(await host.findFile(` conv:${path}`, { signal }));
    found.push(await call('3', 'demo.read', { path }));
    yield envelope(request);
  });
  await world.perform(program, {}, { code, programs: { tools: [write, read] } });
  const [one, two, given] = found;
  expect(one).toMatchObject({ filename: 'a b.csv' });
  expect([one, two].map((each) => each && 'blob' in each && each.blob.size)).toEqual([3, 3]);
  expect(two && 'blob' in two && (await textOf(two, world))).toBe('two');
  expect(given).toEqual({ ok: true, ret: 'two' });
});

test('it finds files of any turn that the user may read, and return values that are stored as files', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.user.attachments/in.csv`, 'of a turn before');
  const many = createTool({
    id: 'demo.many',
    kind: 'bundle',
    description: 'many',
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: 'x'.repeat(20_000) } }),
  });
  await world.perform(many, {}, { call: toCallId('tc_large') });
  const { services } = await world.contextOf(read, {});
  const attached = await findFile(`fi:${past}.user.attachments/in.csv`, services);
  expect(attached.filename).toBe('in.csv');
  expect(await textOf(attached, world)).toBe('of a turn before');
  const result = await findFile(`tc:${turn}.tc_large.result`, services);
  expect(result.filename).toBe('result.json');
  expect(JSON.parse(await textOf(result, world))).toHaveLength(20_000);
});

// proves: exec.handles-sealed
test('a path that is not a file, does not exist, or belongs to another user is refused', async () => {
  const world = await openWorld();
  const file = { type: 'artifact.file', author: 'tool', mime: 'text/plain' } as const;
  const blob = await world.put('secret');
  const data = { filename: 'a.csv', size: blob.size, visibility: 'external' };
  const block = { ...file, turn: past, path: toBlockPath(`fi:${past}.outputs/a.csv`), blob, data };
  await world.append([block], await world.openConversation('conv_bobs', 'bob'));
  await world.append([block], await world.openConversation('conv_anns', 'ann'));
  await world.perform(read, { path: 'x' }, { call: toCallId('tc_small') });
  const { services } = await world.contextOf(read, {});
  expect(await findFile(`fi:conv_anns.${past}.outputs/a.csv`, services)).toMatchObject({ blob });
  const codes = [
    'nonsense',
    'sk:a.b',
    `ar:${past}.user.prompt`,
    `fi:${past}.outputs/none.csv`,
    `fi:conv_bobs.${past}.outputs/a.csv`,
    `tc:${turn}.tc_small.result`,
  ].map((asked) => findFile(asked, services).catch((error: { code: string }) => error.code));
  expect(await Promise.all(codes)).toEqual([
    ...['invalid_path', 'invalid_path', 'invalid_path'],
    ...['not_found', 'not_found', 'not_a_file'],
  ]);
});

test('the text of a program is not a file, and the error says where to read it', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.code.tc_before`;
  await world.append([
    { type: 'react.code', author: 'agent', turn, path: toBlockPath(path), text: 'print(1)' },
  ]);
  const { services } = await world.contextOf(read, {});
  const refused = findFile(path, services);
  await expect(refused).rejects.toMatchObject({ code: 'not_a_file' });
  await expect(refused).rejects.toThrow(/react\.read/);
});
