import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connect } from '../../../runtime/client/index.ts';
import { root } from '../../architecture/tree.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';
import { systemEnv } from '../../tools/system-env.ts';
import { openPlace, type Place } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

/** A desk that writes down what becomes of it; `text` lies in another file than the tool that says it. */
function sources(text: string, { waits = false, onLoad = '' } = {}) {
  const journal = JSON.stringify(join(place.dir, 'journal'));
  const gate = JSON.stringify(join(place.dir, 'gate'));
  return {
    'desk/text.ts': `
      import { appendFileSync } from 'node:fs';
      export const text: string = '${text}';
      export const note = (what: string) => appendFileSync(${journal}, what + ' ' + text + '\\n');
    `,
    'desk/bundle.ts': `
      import { existsSync } from 'node:fs';
      import { setTimeout } from 'node:timers/promises';
      import { z } from 'zod';
      import { defineAgent, defineBundle, defineResource, defineTool } from 'timeloom/sdk';
      import { note } from './text.ts';
      const store = defineResource({ id: 'store', open: () => note('open'), close: () => note('close') });
      const wait = defineTool({ id: 'desk.wait', description: 'x', input: z.object({}),
        run: async (_, ctx) => { await ctx.use(store); note('wait');
          while (${waits} && !existsSync(${gate})) await setTimeout(20, undefined, { signal: ctx.signal }); } });
      const say = defineTool({ id: 'desk.say', description: 'x', input: z.object({}), run: () => note('say') });
      export const bundle = defineBundle({ id: 'desk', version: '1', resources: [store],
        agents: [defineAgent({ id: 'main', instruction: 'Answer.', tools: [wait, say] })],
        onLoad: () => { ${onLoad} note('load'); }, dispose: () => note('dispose') });
    `,
  };
}

/** `bundle dev`, with its lines as they come. */
async function startDev(more: Readonly<Record<string, string>> = {}) {
  const args = ['dist/runtime/cli/main.js', 'bundle', 'dev', join(place.dir, 'desk'), '--json'];
  const { TIMELOOM_BUNDLES: _, ...env } = place.env;
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...systemEnv(), ...env, TIMELOOM_LOG: 'silent', ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () =>
    JSON.parse(String((await lines.next()).value)) as Readonly<Record<string, unknown>>;
  const { url } = await next();
  return {
    ...{ url: String(url), next },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

const journal = async () => (await readFile(join(place.dir, 'journal'), 'utf8')).trim().split('\n');

// proves: cli.bundle-dev
test.each(['in_worker', 'separate'])(
  'what changes counts from the next turn on, a turn under way keeps what it began with (%s)',
  async (supervisors) => {
    await rm(join(place.dir, 'gate'), { force: true });
    await place.write({
      ...sources('one', { waits: true }),
      'script.yaml':
        'plays: per_conversation\nreplies:\n  - call: { tool: desk.wait }\n  - call: { tool: desk.say }\n  - answer: Done.\n',
      'config/assembly.yaml': `supervisors: ${supervisors}\n`,
      journal: '',
    });
    {
      await using dev = await startDev();
      await using client = connect({ url: dev.url, user: 'ann' });
      const begun = await client.conversation().send('Wait.');
      await vi.waitFor(async () => expect(await journal()).toContain('wait one'), 60_000);

      await place.write(sources('two'));
      expect(await dev.next()).toMatchObject({ reloaded: true });
      const later = await client.conversation().send('Say.');
      expect(await later.done()).toMatchObject({ reason: 'completed' });
      expect(await journal()).not.toContain('dispose one');

      await place.write({ gate: '' });
      expect(await begun.done()).toMatchObject({ reason: 'completed' });
      await vi.waitFor(async () => expect(await journal()).toContain('close one'), 60_000);

      // What does not load changes nothing, and says why.
      await place.write({ 'desk/text.ts': 'export const text = ;' });
      expect(await dev.next()).toMatchObject({ what: 'load', places: ['text.ts:1:21'] });
      expect(await dev.next()).toEqual({ reloaded: false });
      await place.write(sources('three', { onLoad: "throw new Error('not today');" }));
      const refused = await dev.next();
      expect(refused).toMatchObject({ says: expect.stringContaining('not today') as string });
      expect(await dev.next()).toEqual({ reloaded: false });
      const last = await client.conversation().send('Say.');
      expect(await last.done()).toMatchObject({ reason: 'completed' });
    }
    const said = await journal();

    expect(said.filter((line) => line.endsWith('one'))).toEqual([
      ...['load one', 'open one', 'wait one', 'say one', 'dispose one', 'close one'],
    ]);
    expect(said.filter((line) => line.endsWith('two'))).toEqual([
      ...['load two', 'open two', 'wait two', 'say two', 'wait two', 'say two'],
      ...['dispose two', 'close two'],
    ]);
    expect(said.indexOf('load two')).toBeLessThan(said.indexOf('say one'));
  },
);

// proves: cli.bundle-dev-pages
test('a page with packages is built at the start, and again when its source changes', async () => {
  const page = (text: string) => ({
    'desk/ui/main.ts': `import { shown } from './text.ts';\ndocument.body.append(shown);\n`,
    'desk/ui/text.ts': `export const shown: string = '${text}';\n`,
  });
  await place.write({
    'desk/bundle.ts': `
      import { defineAgent, defineBundle, defineWidget } from 'timeloom/sdk';
      export const bundle = defineBundle({ id: 'desk', version: '1',
        agents: [defineAgent({ id: 'main', instruction: 'Answer.' })],
        widgets: [defineWidget({ id: 'board', title: 'Board', ui: './ui', main: true })] });
    `,
    'desk/ui/package.json': '{}',
    'desk/ui/index.html': '<body><script type="module" src="./main.ts"></script></body>',
    ...page('first'),
  });
  await using dev = await startDev();
  const shownText = async () => {
    const board = `${dev.url}/api/bundles/dev/dev/desk/widgets/board/`;
    const html = await (await fetch(board)).text();
    const [, script = ''] = /src="\.\/(assets\/[^"]+)"/.exec(html) ?? [];
    return await (await fetch(`${board}${script}`)).text();
  };
  expect(await shownText()).toContain('first');
  await place.write(page('second'));
  expect(await dev.next()).toMatchObject({ reloaded: true });
  expect(await shownText()).toContain('second');
  // A page that cannot be built leaves the one before it.
  await place.write({ 'desk/ui/text.ts': 'export const shown = ;\n' });
  expect(await dev.next()).toMatchObject({ what: 'load' });
  expect(await dev.next()).toEqual({ reloaded: false });
  expect(await shownText()).toContain('second');
  await place.write(page('third'));
  expect(await dev.next()).toMatchObject({ reloaded: true });
  expect(await shownText()).toContain('third');
});

test('data inside of the bundle, and a folder of several bundles, are refused with what to do', async () => {
  await place.write(sources('one'));
  const inside = await place.run(['bundle', 'dev', join(place.dir, 'desk')], {
    TIMELOOM_DATA_DIR: join(place.dir, 'desk/data'),
  });
  expect([inside.code, inside.stderr]).toEqual([
    2,
    expect.stringMatching(/^CONFIG_INVALID: .*inside the bundle.*set TIMELOOM_DATA_DIR/s),
  ]);
  const several = await place.run(['bundle', 'dev', place.dir]);
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('choose one: ')]);
});
