import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { Cancelled } from '../../../runtime/base/signal.ts';
import { createRunScript } from '../../../runtime/tools/exec/scripts/run-script.ts';
import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { blocksOf, error, openWorld, ret, turn } from '../../runtime/tools/kit.ts';
import { containing } from '../../tools/matchers.ts';
import { type Desk, openDesk, removeBuilt, type Where } from '../supervisors/kit.ts';
import { sandboxParts } from './kit.ts';

/** What the scripts of the bundle do, in both languages. */
const scripts = {
  py: {
    fits: `import asyncio, math
await asyncio.sleep(0)
RESULT = {"of": INPUT, "root": math.sqrt(INPUT["n"]), "text": "é\\u2028 \\"'\\\\", "none": None}`,
    plain: `import asyncio
async def root():
    return INPUT["n"] ** 0.5
RESULT = asyncio.run(root())
raise SystemExit`,
    fails: `"""A script that fails in its fifth line."""
from __future__ import annotations
def root(n):
    if n < 0:
        raise ValueError("no root")
    return n ** 0.5
RESULT = root(-INPUT["n"])`,
    broken: `x = 1
y = = 2`,
    forgets: `Result = 1`,
    unfit: `RESULT = {1, 2}`,
    many: `RESULT = 2 ** 60`,
    deep: `RESULT = []
for _ in range(100):
    RESULT = [RESULT]`,
    calls: `RESULT = await tools.desk.fits(n=1)`,
    waits: `import time
print("waiting", flush=True)
time.sleep(60)`,
    writes: `with open(f"{OUTPUT_DIR}/files/a.txt", "w") as file:
    file.write("kept")
RESULT = None`,
  },
  mjs: {
    fits: `import { setTimeout } from 'node:timers/promises';
await setTimeout(0);
const RESULT = { of: INPUT, root: Math.sqrt(INPUT.n), text: 'é\\u2028 "\\'\\\\', none: null };`,
    plain: `export const RESULT = INPUT.n ** 0.5 // the end`,
    fails: `/** A script that fails in its fifth line. */
const sign = -1;
function root(n) {
  if (n < 0) {
    throw new RangeError('no root');
  }
  return Math.sqrt(n);
}
RESULT = root(sign * INPUT.n);`,
    broken: `const x = 1;
const y = = 2;`,
    forgets: `const Result = 1;`,
    unfit: `RESULT = { n: 1n };`,
    many: `RESULT = () => 1;`,
    deep: `RESULT = [];
for (let n = 0; n < 100; n += 1) RESULT = [RESULT];`,
    calls: `RESULT = await tools.desk.fits({ n: 1 });`,
    waits: `console.log('waiting');
await new Promise((resolve) => setTimeout(resolve, 60_000));`,
    writes: `import { writeFileSync } from 'node:fs';
writeFileSync(OUTPUT_DIR + '/files/a.txt', 'kept');
RESULT = null;`,
  },
} as const;
type Ending = keyof typeof scripts;
const names = ['fits', 'plain', 'fails', 'broken', 'forgets', 'unfit', 'many', 'deep'] as const;
const more = ['calls', 'waits', 'writes'] as const;

function bundleOf(ending: Ending): string {
  const tools = [...names, ...more].map((name) => {
    const about = `id: 'desk.${name}', description: 'A script.', effects: 'none', concurrency: 'safe'`;
    return `defineTool({ ${about}, input: z.object({ n: z.number() }), run: sandbox({ file: './scripts/${name}.${ending}' }) })`;
  });
  return `import { defineAgent, defineBundle, defineTool, sandbox } from 'timeloom/sdk';
import { z } from 'zod';
const tools = [${tools.join(',\n')}];
const agent = defineAgent({ id: 'main', instruction: 'Help.', tools });
export const bundle = defineBundle({ id: 'desk', version: '1', agents: [agent] });`;
}

function filesOf(ending: Ending) {
  const files = Object.entries(scripts[ending]);
  return Object.fromEntries([
    ['bundle.ts', bundleOf(ending)],
    ...files.map(([name, text]) => [`scripts/${name}.${ending}`, text]),
  ]);
}

let sandbox: Sandbox & AsyncDisposable;
/** Reported once, when a script has printed something. */
let printed: () => void = () => undefined;

beforeAll(async () => {
  sandbox = await openProcessSandbox({ ...sandboxParts(), pool: 1 });
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await removeBuilt();
});

async function* telling(events: ReturnType<Sandbox['run']>): ReturnType<Sandbox['run']> {
  for await (const event of events) {
    if (event.kind === 'output') printed();
    yield event;
  }
}

const places: readonly [Where, Ending][] = [
  ['in_worker', 'py'],
  ['in_worker', 'mjs'],
  ['separate', 'py'],
  ['separate', 'mjs'],
];

// proves: sdk.sandbox-runs, sdk.sandbox-traces
describe.each(places)('scripts of a bundle, %s, .%s', (where, ending) => {
  let desk: Desk;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  beforeAll(async () => {
    folder = await openFolder(filesOf(ending));
    const watched: Sandbox = {
      backend: sandbox.backend,
      languages: sandbox.languages,
      run: (...asked) => telling(sandbox.run(...asked)),
    };
    const runScript = createRunScript({ ...sandboxParts(), sandbox: watched, ids: randomIds });
    desk = await openDesk({ where, dir: folder.dir, runScript });
  });
  afterAll(async () => {
    await desk[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  const perform = async (name: (typeof names | typeof more)[number], asked = {}) =>
    (await openWorld()).perform(desk.tool(name), { n: 9 }, asked);

  test('INPUT is a value, RESULT any JSON, and a script may wait', async () => {
    const text = 'é\u2028 "\'\\';
    expect(ret(await perform('fits'))).toEqual({ of: { n: 9 }, root: 3, text, none: null });
    expect(ret(await perform('plain'))).toBe(3);
  });

  test('an exception is reported with the lines of the script and nothing around it', async () => {
    const { code, message = '' } = error(await perform('fails')) ?? {};
    expect(code).toBe('script_failed');
    const lines =
      ending === 'py' ? /line 7, in <module>[\s\S]*line 5, in root/ : /:5:11\)[\s\S]*:9:10/;
    expect(message).toMatch(lines);
    expect(message).toContain('no root');
    expect(message).toContain(`scripts/fails.${ending}`);
    expect(message).not.toMatch(/program\.|harness|node:|\/bundle\/|_run|exec\(/);
  });

  test('a script in another language is reported with the line', async () => {
    const { code, message = '' } = error(await perform('broken')) ?? {};
    expect([code, message]).toEqual(['script_failed', containing('SyntaxError')]);
    const place = ending === 'py' ? '"scripts/broken.py", line 2' : 'scripts/broken.mjs:2';
    expect(message).toContain(place);
  });

  test('without a RESULT, and with one that is not JSON, the call fails and says which', async () => {
    expect(error(await perform('forgets'))?.code).toBe('result_missing');
    for (const name of ['unfit', 'many', 'deep'] as const) {
      expect(error(await perform(name))?.code).toBe('result_invalid');
    }
  });

  test('a script has no tool of its bundle', async () => {
    expect(error(await perform('calls'))).toMatchObject({
      code: 'script_failed',
      message: containing('desk.fits is not among the tools of this program'),
    });
  });

  test('a script ends with the time of its agent, or of its call', async () => {
    const programs = { tools: [], timeoutMs: 1_500 };
    expect(error(await perform('waits', { programs }))).toMatchObject({
      code: 'timeout',
      message: `scripts/waits.${ending}: the program was stopped at its time limit of 1.5 s`,
    });
    expect(error(await perform('waits', { timeoutMs: 300 }))?.code).toBe('timeout');
  });

  test('a script that is stopped ends with the reason', async () => {
    const stop = new AbortController();
    printed = () => stop.abort(new Cancelled('steer'));
    const stopped = await perform('waits', { signal: stop.signal });
    printed = () => undefined;
    expect(error(stopped)?.code).toBe('interrupted');
  });

  test('what a script leaves in files/ is a file of its call', async () => {
    const blocks = blocksOf(await perform('writes', { call: 'tc_w' }), 'artifact.file');
    expect(blocks).toMatchObject([{ path: `fi:${turn}.files/a.txt`, call: 'tc_w' }]);
  });
});
