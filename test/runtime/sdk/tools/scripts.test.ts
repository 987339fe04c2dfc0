import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import { defineTool, refuse, sandbox } from '../../../../runtime/sdk/index.ts';
import { emptyView } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { scriptCharsMax } from '../../../../runtime/tools/exec/limits.ts';
import type { PrepareProgram } from '../../../../runtime/tools/exec/run/prepare-program.ts';
import type { RunScript } from '../../../../runtime/tools/exec/scripts/run-script.ts';
import { error, openWorld, ret, turn } from '../../tools/kit.ts';
import { bundleWith, compile, compiledTool, openFolder } from '../kit.ts';

// proves: sdk.sandbox-loads

const scripted = (file: string, id: `${string}.${string}` = 'stats.fit') =>
  defineTool({
    id,
    description: 'Fits.',
    input: z.object({ n: z.number().default(2), of: z.string() }),
    output: z.object({ n: z.number() }),
    preset: { of: (ctx) => ctx.ids.tenant },
    run: sandbox({ file }),
  });

test('scripts that cannot run stop the load, and all problems are reported', async () => {
  await using folder = await openFolder({
    'fit.rb': '',
    'long.py': 'x'.repeat(scriptCharsMax + 1),
    '.hidden/fit.py': '',
    'node_modules/a/fit.js': '',
    'fit.py': '',
  });
  await symlink('/etc/hostname', join(folder.dir, 'away.py'));
  const files = [
    ...['./fit.rb', './absent.py', '../fit.py', '/etc/fit.py', './away.py', './long.py'],
    ...['.hidden/fit.py', './node_modules/a/fit.js', './fit.py'],
  ];
  const tools = files.map((file, n) => scripted(file, `stats.fit_${n}`));
  await expect(compile(bundleWith(tools), folder)).rejects.toMatchObject({
    code: 'BUNDLE_INVALID',
    detail: {
      problems: [
        'tool “stats.fit_0”: ./fit.rb is neither Python (.py) nor JavaScript (.mjs, .js)',
        'tool “stats.fit_1”: file ./absent.py not found in the bundle',
        'tool “stats.fit_2”: file ../fit.py not found in the bundle',
        'tool “stats.fit_3”: file /etc/fit.py not found in the bundle',
        'tool “stats.fit_4”: file ./away.py not found in the bundle',
        'tool “stats.fit_5”: ./long.py has more than 262144 characters',
        "tool “stats.fit_6”: .hidden/fit.py is hidden or belongs to a package, so the bundle's revision does not cover it",
        "tool “stats.fit_7”: ./node_modules/a/fit.js is hidden or belongs to a package, so the bundle's revision does not cover it",
      ],
    },
  });
});

test('a script is read when its bundle loads, and gets the parsed input', async () => {
  await using folder = await openFolder({ 'scripts/fit.py': 'RESULT = 1' });
  const world = await openWorld();
  const asked: unknown[] = [];
  const runScript: RunScript = async (script, input, { call }) => {
    asked.push({ ...script, input, call });
    return { n: 7, more: 1 };
  };
  const platform = { tools: [], absent: [], runScript };
  const tool = await compiledTool(scripted('./scripts/fit.py'), { ...folder, platform });
  await writeFile(join(folder.dir, 'scripts/fit.py'), 'RESULT = 2');
  expect(
    ret(await world.perform(tool, { n: '3', of: 'evil' }, { call: toCallId('tc_f') })),
  ).toEqual({
    n: 7,
  });
  const input = { n: 3, of: 'acme' };
  const file = 'scripts/fit.py';
  expect(asked).toEqual([{ file, language: 'python', code: 'RESULT = 1', input, call: 'tc_f' }]);
});

test('invalid results and refusals of a script are ordinary tool results', async () => {
  await using folder = await openFolder({ 'fit.mjs': '' });
  const world = await openWorld();
  const answers: (() => never | string)[] = [
    () => 'no object',
    () => {
      throw new Refusal('script_failed', 'fit.mjs failed.');
    },
  ];
  const runScript: RunScript = async () => answers.shift()?.() ?? '';
  const platform = { tools: [], absent: [], runScript };
  const tool = await compiledTool(scripted('fit.mjs'), { ...folder, platform });
  expect(error(await world.perform(tool, {}))?.message).toMatch(/does not fit its output/);
  expect(error(await world.perform(tool, {}))).toMatchObject({ code: 'script_failed' });
});

test('a call that waits for approval or is refused starts no script', async () => {
  await using folder = await openFolder({ 'fit.py': '' });
  const world = await openWorld();
  let runs = 0;
  const runScript: RunScript = async () => {
    runs += 1;
    return { n: 1 };
  };
  const platform = { tools: [], absent: [], runScript };
  const closed = scripted('fit.py').with({ approval: () => refuse('closed', 'Not today.') });
  const asking = scripted('fit.py').with({ approval: 'always' });
  for (const [one, code] of [
    [closed, 'closed'],
    [asking, 'denied'],
  ] as const) {
    const tool = await compiledTool(one, { ...folder, platform });
    expect(error(await world.perform(tool, {}))?.code).toBe(code);
  }
  expect(runs).toBe(0);
});

// proves: sdk.sandbox-runs
test('an executor may start while a script call is being written, but for no other tool', async () => {
  await using folder = await openFolder({ 'fit.py': '' });
  const asked: unknown[] = [];
  const prepareScript: PrepareProgram = (...given) => {
    asked.push(given);
    return undefined;
  };
  const platform = { tools: [], absent: [], prepareScript };
  const tool = await compiledTool(scripted('fit.py'), { ...folder, platform });
  const rights = { tools: [tool], memoryMb: 64 };
  const seen = { view: emptyView, turn };
  tool.prepare?.(rights, seen);
  expect(asked).toEqual([['python', rights, seen]]);
  const plain = defineTool({ id: 'a.b', description: 'B.', input: z.object({}), run: () => 1 });
  expect((await compiledTool(plain, { platform })).prepare).toBeUndefined();
});
