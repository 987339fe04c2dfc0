import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../../runtime/testing/index.ts';
import { error, openWorld, past, ret } from '../../tools/kit.ts';
import { bundleWith, compiledTool } from '../kit.ts';

// proves: sdk.files-host, paths.resource-names

const links = defineTool({
  id: 'desk.links',
  description: 'Links a file.',
  input: z.object({ path: z.string().optional() }),
  run: async ({ path }, ctx) => {
    const ref = path ? { path } : await ctx.files.write('outputs/a & b.txt', 'hello');
    return ctx.files.host(ref.path);
  },
});

test('a file has a link for those who may read it', async () => {
  const bundle = bundleWith([links]);
  const model = [{ call: { tool: 'desk.links', input: {} } }, { answer: 'There it is.' }];
  await using runtime = await openRuntime({ bundle, dir: import.meta.dirname, model });
  const turn = await runtime.send('Make it');
  const named: unknown[] = [];
  for await (const event of turn.events())
    if (event.type === 'chat.files') named.push(event.data.items);
  await turn.done();
  const { data } = (await turn.blocks()).find(({ type }) => type === 'react.tool.result') ?? {};
  const { rn, resource, url } = z
    .object({ ret: z.object({ rn: z.string(), resource: z.string(), url: z.string() }) })
    .parse(data).ret;
  expect(rn).toMatch(new RegExp(`^fi:conv_\\w+\\.${turn.id}\\.outputs/a & b\\.txt$`));
  expect(url).toBe(`/api/files?${new URLSearchParams({ path: rn })}`);
  // The client asks this address of the gateway.
  expect(await (await runtime.connect().fetch(rn)).text()).toBe('hello');
  expect(resource).toMatch(
    /^ef:dev:dev:chatbot:main:test:conv_\w+:turn_\w+:assistant:outputs\/a & b\.txt$/,
  );
  expect(named).toMatchObject([[{ filename: 'a & b.txt', resource }]]);
  const byName = (user: string) =>
    fetch(`${runtime.url}/by-rn`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-timeloom-user': user },
      body: JSON.stringify({ rn: resource }),
    });
  expect(await (await byName('test')).text()).toBe('hello');
  expect((await byName('other')).status).toBe(404);
  const otherUser = runtime.connect({ user: 'other' });
  await expect(otherUser.fetch(rn)).rejects.toMatchObject({ code: 'not_found' });
});

test('a missing file and a path that is not a file have no link', async () => {
  const world = await openWorld();
  const tool = await compiledTool(links);
  await world.file(`fi:${past}.files/kept.txt`, 'x');
  const linked = await world.perform(tool, { path: `fi:${past}.files/kept.txt` });
  expect(ret(linked)).toMatchObject({ rn: `fi:conv_main.${past}.files/kept.txt` });
  const code = async (path: string) => error(await world.perform(tool, { path }))?.code;
  expect(await code(`fi:${past}.outputs/none.txt`)).toBe('not_found');
  expect(await code(`ar:${past}.user.prompt`)).toBe('not_a_file');
});
