import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../runtime/client/index.ts';
import { root } from '../../architecture/tree.ts';
import { patient } from '../../tools/machine-speed.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

// proves: cli.newcomer

const run = promisify(execFile);
const key = /_API_KEY$|^TIMELOOM_|^DATABASE_URL$|^REDIS_URL$/;
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !key.test(name) && name !== 'NODE_OPTIONS'),
  ),
  NO_COLOR: '1',
};

const devMsMax = patient(100_000);
/** Vitest gives a test of a new bundle five seconds: on a busy machine the first of them may take longer. */
const testMsMax = patient(60_000);
let home = '';
let desk = '';
/** The package as npm packs it, beside what it depends on: as npm installs it, without asking a registry. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'timeloom-newcomer-'));
  const modules = join(home, 'node_modules');
  await run('npm', ['pack', '--pack-destination', home, '--loglevel=error'], { cwd: root });
  const [archive = ''] = (await readdir(home)).filter((name) => name.endsWith('.tgz'));
  await mkdir(join(modules, 'timeloom'), { recursive: true });
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', join(modules, 'timeloom')], {
    cwd: home,
  });
  const names = await readdir(join(root, 'node_modules'));
  for (const name of names.filter((each) => !/^\.|^timeloom$/.test(each))) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await mkdir(join(modules, '.bin'));
  await chmod(join(modules, 'timeloom/dist/runtime/cli/main.js'), 0o755);
  await symlink('../timeloom/dist/runtime/cli/main.js', join(modules, '.bin/timeloom'));
  await symlink(join(root, 'node_modules/.bin/vitest'), join(modules, '.bin/vitest'));
  await writeFile(join(home, 'package.json'), '{"name":"desks","private":true}');
  await run(process.execPath, ['node_modules/.bin/timeloom', 'bundle', 'new', 'sales-desk'], {
    cwd: home,
    env,
  });
  desk = join(home, 'sales-desk');
  await readSales();
});
afterAll(() => rm(home, { recursive: true, force: true }));

const csv = 'month,amount\n2026-01,1200\n2026-01,900\n2026-02,1500\n';
const tool = `
export const total = defineTool({
  id: 'sales_desk.total',
  description: 'The sum of the sales of one month.',
  input: z.object({ month: z.string() }),
  effects: 'none',
  run: async ({ month }, ctx) => {
    const lines = (await ctx.asset('./sales.csv').text()).trim().split('\\n').slice(1);
    const rows = lines.map((line) => line.split(',')).filter(([at]) => at === month);
    if (rows.length === 0) return refuse('no_sales', \`There are no sales in \${month}.\`);
    return { month, total: rows.reduce((sum, [, amount]) => sum + Number(amount), 0) };
  },
});
`;
const sales = `
test('sales are summed', async () => {
  const call = { tool: 'sales_desk.total', input: { month: '2026-01' } };
  await using runtime = await openRuntime({ bundle, model: [{ call }, { answer: 'It was 2,100.' }] });
  await (await runtime.send('How much in January?')).done();
  expect(runtime.model.requests[1]?.text).toContain('2100');
});
`;
const script = `plays: per_conversation
replies:
  - call: { tool: sales_desk.total, input: { month: "2026-01" } }
  - { when: "2100", answer: "In January it was 2,100." }
`;

/** What a newcomer writes: a table, a tool that reads it, a test and a script. */
async function readSales(): Promise<void> {
  await writeFile(join(desk, 'sales.csv'), csv);
  await writeFile(join(desk, 'script.yaml'), script);
  await change('tools.ts', (text) => text + tool);
  await change('bundle.test.ts', (text) => text + sales);
  await change('bundle.ts', (text) =>
    text
      .replace('{ openingHours }', '{ openingHours, total }')
      .replace('[openingHours]', '[openingHours, total]'),
  );
}

async function change(name: string, to: (text: string) => string): Promise<void> {
  const file = join(desk, name);
  await writeFile(file, to(await readFile(file, 'utf8')));
}

/** `npm run NAME` in the bundle, with lines on stdin. */
async function npmRun(name: string, input = ''): Promise<string> {
  const args = name === 'test' ? ['--', `--testTimeout=${testMsMax}`] : [];
  const child = run('npm', ['run', '--silent', name, ...args], { cwd: desk, env });
  child.child.stdin?.end(input);
  const { stdout, stderr } = await child;
  expect(stderr.replaceAll(/^npm warn .*$/gm, '').trim()).toBe('');
  return stdout;
}

test('the new bundle has nothing wrong and its tests pass', async () => {
  expect(await npmRun('check')).toBe('✓ sales-desk 1.0.0: no problems found\n');
  expect(await npmRun('test')).toMatch(/Tests +4 passed \(4\)/);
});

test('it is talked with in the terminal without a key', async () => {
  expect(await npmRun('talk', 'How much in January?\n')).toMatch(
    /tool +sales_desk\.total … done\n +answer +In January it was 2,100\.\n/,
  );
});

test('dev serves it, and a change counts from the next turn on', async () => {
  const args = ['../node_modules/.bin/timeloom', 'bundle', 'dev', '.', '--port', '0', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: desk,
    env: {
      ...env,
      TIMELOOM_LOG: 'silent',
      TIMELOOM_EXEC_MODE: 'off',
      TIMELOOM_MODEL: `scripted:${join(desk, 'script.yaml')}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: devMsMax,
    killSignal: 'SIGKILL',
  });
  const gone = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
  const ready = Ready.parse(await next());
  expect(ready.bundles).toEqual(['sales-desk']);
  await writeFile(join(desk, 'recorded.test.ts'), await record(ready.url));
  await change('sales.csv', (text) => text.replace('900', '901'));
  expect(await next()).toMatchObject({ reloaded: true });
  child.kill();
  await gone;
});

const Ready = z.object({ ready: z.literal(true), url: z.string(), bundles: z.array(z.string()) });
const Recorded = z.object({ test: z.string() });

/** A conversation with the bundle, as the studio copies it as a test. */
async function record(url: string): Promise<string> {
  await using client = connect({ url, user: 'ann' });
  const conversation = client.conversation();
  await (await conversation.send('How much in January?')).done();
  const answer = await fetch(`${url}/inspect/dev/dev/${conversation.id}/as-script?user=ann`);
  return Recorded.parse(await answer.json()).test;
}

// proves: workbench.as-script
test('a conversation that the studio copies as a test passes beside the bundle', async () => {
  await change('sales.csv', (text) => text.replace('901', '900'));
  expect(await npmRun('test')).toMatch(/recorded\.test\.ts[\s\S]*Tests +5 passed \(5\)/);
});

test('every file that the packed README links to is in the package', () => {
  const folder = join(home, 'node_modules/timeloom');
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((to) => !existsSync(join(folder, to)))).toEqual([]);
});
