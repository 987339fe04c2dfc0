import { expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import type { Json } from '../../../../runtime/base/json.ts';
import { Work } from '../../../../runtime/base/signal.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { createExecTools } from '../../../../runtime/tools/exec/run/exec-tools.ts';
import type { ExecRequest } from '../../../../runtime/tools/ports/sandbox.ts';
import type { ToolResult } from '../../../../runtime/tools/ports/tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { pullTool } from '../../../../runtime/tools/react/workspace/pull.ts';
import { blocksOf, error, openWorld, past, ret, turn } from '../kit.ts';
import { code, envelope, execTool, quick, sandboxOf } from './kit.ts';

const find = createTool({
  id: 'crm.find',
  kind: 'bundle',
  description: 'finds',
  callsPerTurn: 2,
  input: z.object({ name: z.string() }),
  run: async ({ name }, context) => {
    context.services.progress({ text: 'looking' });
    await context.services.addSources([{ url: `https://crm.io/${name}`, title: name }]);
    return { result: { ok: true, ret: { name, key: context.key, call: context.call } } };
  },
});

// proves: exec.large-inputs
test('files too large for the workspace of a program are omitted, with a hint on how to open them', async () => {
  const world = await openWorld();
  const mebibyte = 1024 * 1024;
  await world.file(`fi:${turn}.files/a.bin`, Buffer.alloc(2 * mebibyte));
  await world.file(`fi:${turn}.outputs/large.bin`, Buffer.alloc(4 * mebibyte));
  await world.file(`fi:${turn}.outputs/small.bin`, 'x');
  let seen: ExecRequest | undefined;
  const tool = execTool(async function* (request) {
    seen = request;
    yield envelope(request);
  });
  const performed = await world.perform(tool, {}, { code, programs: { tools: [], fileMb: 3 } });
  expect(seen?.inputs.map(({ filepath }) => filepath)).toEqual([
    'files/a.bin',
    'outputs/small.bin',
  ]);
  expect(performed.preview).toContain(
    `Too large for a copy in OUTPUT_DIR; ctx_tools.fetch_file opens them: fi:t2.outputs/large.bin`,
  );
});

test('a program finds attachments, workspace and pulled files, and produces the files of its contract', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.user.attachments/data.csv`, 'a,b');
  await world.file(`fi:${turn}.files/src/x.py`, 'x');
  await world.file(`fi:${turn}.outputs/old.txt`, 'old');
  await world.file(`fi:${turn}.outputs/r.html`, 'stale');
  await world.file(`fi:${past}.outputs/before.csv`, 'c');
  await world.perform(pullTool, { paths: [`fi:${past}.outputs/before.csv`] });
  const blob = await world.put('<p>');
  let seen: ExecRequest | undefined;
  const tool = execTool(async function* (request) {
    seen = request;
    yield { kind: 'ready', backend: 'fake' };
    yield { kind: 'output', stream: 'stdout', text: 'hi\n' };
    const artifact = {
      filepath: 'outputs/r.html',
      description: 'the report',
      visibility: 'external' as const,
      mime: 'text/html',
      blob,
    };
    yield envelope(request, { artifacts: [artifact] });
  });
  const contract = [{ filepath: 'r.html', description: 'the report' }];
  const performed = await world.perform(
    tool,
    { contract, timeout_s: '5' },
    { code, programs: { tools: [], timeoutMs: 9000, memoryMb: 128 } },
  );
  expect(seen?.inputs.map(({ filepath, writable }) => [filepath, writable])).toEqual([
    ['files/src/x.py', true],
    ['outputs/old.txt', true],
    ['attachments/data.csv', false],
    ['t1/outputs/before.csv', false],
  ]);
  expect(seen).toMatchObject({
    turn,
    turnName: 't2',
    code: 'print(1)',
    contract: [{ filepath: 'outputs/r.html', visibility: 'external' }],
    limits: { timeoutMs: 5000, memoryMb: 128 },
  });
  expect(ret(performed)).toMatchObject({
    ok: true,
    artifacts: [{ path: `fi:${turn}.outputs/r.html`, size: 3 }],
    calls: [],
    execution_id: 'exec_n1',
  });
  expect(blocksOf(performed, 'artifact.file')).toMatchObject([
    {
      path: `fi:${turn}.outputs/r.html`,
      mime: 'text/html',
      blob,
      data: { description: 'the report' },
    },
  ]);
  expect(performed.preview).toMatch(/Status: ok[\s\S]*r\.html is outputs\/r\.html/);
  expect(
    world.live.map((piece) => (piece.kind === 'live' ? [piece.type, piece.data] : [])),
  ).toMatchObject([
    ['chat.exec.status', { status: 'preparing', contract: [{ filepath: 'outputs/r.html' }] }],
    ['chat.exec.status', { status: 'running' }],
    ['chat.exec.output', { stream: 'stdout', text: 'hi\n' }],
    ['chat.exec.status', { status: 'done' }],
  ]);
});

// proves: i6.granted-only
test('calls of a program run under their own ids and keys; their blocks are kept, and the result lists them', async () => {
  const world = await openWorld();
  const results: ToolResult[] = [];
  let granted: readonly string[] = [];
  const tool = execTool(async function* (request, host, signal) {
    granted = request.granted;
    const call = (id: string, name: Json) =>
      host.callTool({ id, tool: 'crm.find', input: { name }, reason: '' }, { signal });
    results.push(...(await Promise.all([call('c1', 'a'), call('c2', {}), call('c3', 'late')])));
    results.push(
      await host.callTool({ id: 'c4', tool: 'react.read', input: {}, reason: '' }, { signal }),
    );
    yield envelope(request);
  });
  const performed = await world.perform(
    tool,
    {},
    { code, call: toCallId('tc_exec'), programs: { tools: [find, ...controlTools] } },
  );
  expect(granted).toEqual(['crm.find']);
  expect(results).toMatchObject([
    { ok: true, ret: { name: 'a', key: 'key_tc_exec.c1', call: 'tc_n2' } },
    { ok: false, error: { code: 'invalid_input' } },
    { ok: false, error: { code: 'denied' } },
    { ok: false, error: { code: 'tool_not_visible' } },
  ]);
  expect(ret(performed)).toMatchObject({
    calls_total: 4,
    calls: expect.arrayContaining([{ id: 'c1', tool: 'crm.find', ok: true, ms: 0 }]) as Json,
  });
  expect(performed.blocks.map(({ type, call }) => [type, call])).toEqual([
    ['source.row', 'tc_exec'],
    ['react.tool.result', 'tc_exec'],
  ]);
});

test('an invalid program or contract is refused before anything runs', async () => {
  const world = await openWorld();
  const tool = execTool(() => expect.unreachable());
  const asked = async (
    input: { contract?: Json },
    text = 'print(1)',
    language: 'python' | 'javascript' = 'python',
  ) => error(await world.perform(tool, input, { code: { text, language } }))?.code;
  expect(error(await world.perform(tool, {}))?.code).toBe('missing_code');
  expect(await asked({}, ' \n')).toBe('missing_code');
  expect(await asked({}, 'let x', 'javascript')).toBe('code_language');
  expect(await asked({}, '```python\nprint(1)\n```')).toBe('code_contaminated');
  expect(await asked({}, 'print(1)\n</channel:code>')).toBe('code_contaminated');
  expect(await asked({ contract: [{ filepath: '/etc/x' }] })).toBe('path_refused');
  expect(await asked({ contract: [{ filepath: 'attachments/x' }] })).toBe('path_refused');
  expect(await asked({ contract: [{ filepath: `${past}/outputs/x` }] })).toBe('path_refused');
  expect(await asked({ contract: [{ filepath: 'x' }, { filepath: 'outputs/x' }] })).toBe(
    'contract_duplicate',
  );
  expect(await asked({ contract: 'not json' })).toBe('invalid_input');
});

test('a failed program is a failed call with a report, and its valid files are kept', async () => {
  const world = await openWorld();
  const blob = await world.put('x');
  const tool = execTool(async function* (request) {
    const artifact = {
      filepath: 'outputs/a.txt',
      description: '',
      visibility: 'internal' as const,
      mime: 'text/plain',
      blob,
    };
    yield envelope(request, {
      artifacts: [artifact],
      error: {
        code: 'missing_output_files',
        message: 'b is missing',
        files: [{ filepath: 'outputs/b', code: 'missing_file' }],
      },
      report_text: 'Status: error',
    });
  });
  const performed = await world.perform(tool, {}, { code });
  expect(performed.result).toMatchObject({
    ok: false,
    error: { code: 'missing_output_files' },
    ret: { error: { files: [{ code: 'missing_file' }] } },
  });
  expect(performed.preview).toContain('Status: error');
  expect(blocksOf(performed, 'artifact.file')).toHaveLength(1);
});

test('a steer kills the program, and the blocks of its calls are kept', async () => {
  const world = await openWorld();
  using work = new Work(AbortSignal.timeout(10_000));
  const tool = execTool(async function* (request, host, signal) {
    await host.callTool(
      { id: 'c1', tool: 'crm.find', input: { name: 'a' }, reason: '' },
      { signal },
    );
    work.stop('steer');
    yield envelope(request, {
      kill_reason: 'cancelled',
      error: { code: 'cancelled', message: 'stopped' },
    });
  });
  const performed = await world.perform(
    tool,
    {},
    { code, signal: work.signal, programs: { tools: [find] } },
  );
  expect(error(performed)?.code).toBe('interrupted');
  expect(blocksOf(performed, 'source.row')).toHaveLength(1);
});

test('without isolation, the error says what to install', async () => {
  const world = await openWorld();
  expect(execTool(undefined).spec.unavailable).toBe('Install bubblewrap.');
  expect(execTool(quick).spec).not.toHaveProperty('unavailable');
  const performed = await world.perform(execTool(undefined), {}, { code });
  expect(error(performed)).toMatchObject({
    code: 'exec_unavailable',
    message: 'Install bubblewrap.',
  });
});

test('both languages are available, each bound to its code channel', async () => {
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const tools = createExecTools({
    ids: { next: (prefix) => `${prefix}_1` },
    clock,
    sandbox: sandboxOf(quick),
  });
  expect(tools.map(({ spec }) => [spec.id, spec.language, spec.kind])).toEqual([
    ['exec_tools.execute_code_python', 'python', 'exec'],
    ['exec_tools.execute_code_javascript', 'javascript', 'exec'],
  ]);
});

// proves: exec.libraries-listed
test.each([
  [['numpy', 'pandas'], / It can import the standard library and numpy, pandas\.$/],
  [[], / It can import the standard library and nothing else\.$/],
  [undefined, /that you write\.$/],
])('the description lists the available libraries: %o', async (libraries, words) => {
  const parts = { ids: randomIds, clock: systemClock, ...(libraries ? { libraries } : {}) };
  const [python, javascript] = createExecTools(parts);
  expect(python?.spec.description).toMatch(words);
  expect(javascript?.spec.description).toMatch(/that you write\.$/);
});
