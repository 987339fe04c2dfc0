import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../runtime/base/json.ts';
import {
  defineAgent,
  defineBundle,
  defineSecret,
  type McpServer,
} from '../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../runtime/testing/index.ts';
import { openHttpMcp } from '../../runtime/adapters/mcp/http-server.ts';
import { type OfferedTool, textResult } from '../../runtime/adapters/mcp/make-server.ts';
import { patient } from '../../tools/machine-speed.ts';

const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'opens the server' });
const secrets = { KEY: 'sekret-123456' };

function bundleUsing(url: string, ...all: readonly Partial<McpServer>[]) {
  const agent = defineAgent({
    id: 'main',
    instruction: 'Help.',
    tools: ['mcp.*', 'exec_tools.*'],
    exec: { timeoutMs: patient(100_000) },
  });
  const use = (all.length === 0 ? [{}] : all).map(
    (more) => ({ id: 'gh', url, bearer: key, ...more }) as McpServer,
  );
  return defineBundle({ id: 'acme', version: '1', agents: [agent], secrets: [key], mcp: { use } });
}

const find: OfferedTool = {
  name: 'find-code',
  description: 'Finds code.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  annotations: { readOnlyHint: true },
  run: ({ q }) => ({ content: [], structuredContent: { hits: [`${q}.ts`] } }),
};
const remove: OfferedTool = { name: 'delete_repo', run: () => textResult('gone') };

const network = (request: Request) => fetch(request);
const call = (input: JsonObject = { q: 'a' }) => ({
  thinking: 'Look.',
  call: { tool: 'mcp.gh.find_code', input },
});

// proves: mcp.turn
test('a model calls the tool of a server, and what does not fit never reaches it', async () => {
  const asked: unknown[] = [];
  const watched: OfferedTool = {
    ...find,
    run: (input, ctx) => {
      asked.push(input);
      return find.run?.(input, ctx) ?? textResult('');
    },
  };
  await using mcp = await openHttpMcp([watched]);
  mcp.bearer = secrets.KEY;
  await using runtime = await openRuntime({
    bundle: bundleUsing(mcp.url),
    secrets,
    fetch: network,
    model: [call({}), call(), { answer: 'a.ts' }],
  });
  const turn = await runtime.send('Find it');
  expect((await turn.done()).text).toBe('a.ts');
  expect(outline(await turn.blocks(), 'react.tool')).toEqual([
    'react.tool.call mcp.gh.find_code',
    'react.tool.result invalid_input',
    'react.tool.call mcp.gh.find_code',
    'react.tool.result ok',
  ]);
  expect(asked).toEqual([{ q: 'a' }]);
  const [first, , last] = runtime.model.requests;
  expect(first?.text).toContain('### mcp.gh.find_code\nFinds code.');
  expect(last?.text).toContain('{"hits":["a.ts"]}');
  expect(JSON.stringify([runtime.model.requests, await turn.blocks()])).not.toContain(secrets.KEY);
});

// proves: mcp.notice
test('a server that is away for a moment changes nothing above the tail, and the model reads it; new tools come with it', async () => {
  const again = Array.from({ length: 200 }, () => ({ answer: 'three' }));
  await using mcp = await openHttpMcp([find]);
  await using runtime = await openRuntime({
    bundle: bundleUsing(mcp.url),
    secrets,
    fetch: network,
    model: [call(), { answer: 'one' }, call(), { answer: 'two' }, ...again],
  });
  await (await runtime.send('one')).done();
  await mcp.stop();
  const second = await runtime.send('two');
  await second.done();
  expect(outline(await second.blocks(), 'react.tool.result')).toEqual([
    expect.stringMatching(/^react\.tool\.result (mcp_unreachable|interrupted)$/),
  ]);
  const [before, , , after] = runtime.model.requests.map(({ text }) => text);
  const catalogue = (text = '') => text.slice(0, text.indexOf('TURN '));
  expect(catalogue(after)).toBe(catalogue(before));
  expect(after).toMatch(/\[NOTICES\]\n- mcp\.gh is out of reach, .*: its tools may fail/);
  mcp.tools = [find, { ...remove, name: 'more' }];
  await mcp.start();
  await vi.waitUntil(
    async () => {
      await (await runtime.send('three')).done();
      return runtime.model.requests.at(-1)?.text.includes('### mcp.gh.more');
    },
    { timeout: patient(60_000), interval: 1_000 },
  );
  expect(runtime.model.requests.at(-1)?.text).not.toContain('[NOTICES]');
});

// proves: mcp.steered
test('a steer cancels the call at the server', async () => {
  let cancelled: Promise<unknown> = Promise.reject(new Error('never called'));
  cancelled.catch(() => undefined);
  const wait: OfferedTool = {
    ...find,
    run: async (_, { mcpReq }) => {
      cancelled = once(mcpReq.signal, 'abort');
      await mcpReq.notify({
        method: 'notifications/progress',
        params: {
          progressToken: mcpReq._meta?.progressToken ?? 0,
          progress: 1,
          message: 'I have begun',
        },
      });
      await cancelled;
      return textResult('late');
    },
  };
  await using mcp = await openHttpMcp([wait]);
  await using runtime = await openRuntime({
    bundle: bundleUsing(mcp.url),
    secrets,
    fetch: network,
    model: [call(), { answer: 'Stopped.' }],
  });
  const turn = await runtime.send('Find it');
  for await (const event of turn.events()) {
    if (JSON.stringify(event).includes('I have begun')) break;
  }
  await turn.steer('leave it');
  expect((await turn.done()).text).toBe('Stopped.');
  await cancelled;
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result interrupted',
  ]);
});

const programs = {
  python: `
found = await tools.mcp.gh.find_code(q="b")
print(found["hits"])
try:
    await tools.mcp.gh.delete_repo()
except ToolError as error:
    print(error.code)
whole = await agent_io_tools.tool_call(tool_id="mcp.gh.delete-repo", params={})
print(whole["error"]["code"])
bad = await agent_io_tools.tool_call(tool_id="mcp.gh.find_code", params={"q": {}})
print(bad["error"]["code"])
`,
  javascript: `
const found = await tools.mcp.gh.find_code({ q: 'b' });
console.log(JSON.stringify(found.hits));
await tools.mcp.gh.delete_repo().catch((error) => console.log(error.code));
const whole = await agent_io_tools.tool_call({ tool_id: 'mcp.gh.delete-repo', params: {} });
console.log(whole.error.code);
const bad = await agent_io_tools.tool_call({ tool_id: 'mcp.gh.find_code', params: { q: {} } });
console.log(bad.error.code);
`,
} as const;

// proves: mcp.programs
test.each(['python', 'javascript'] as const)(
  'generated code in %s calls the tools that its agent sees, and no other',
  async (language) => {
    const removed: unknown[] = [];
    const armed = {
      ...remove,
      run: () => {
        removed.push(1);
        return textResult('gone');
      },
    };
    await using mcp = await openHttpMcp([find, armed]);
    await using runtime = await openRuntime({
      bundle: bundleUsing(mcp.url, { allow: ['find*'] }),
      secrets,
      fetch: network,
      exec: 'process',
      model: [
        {
          code: programs[language],
          call: { tool: `exec_tools.execute_code_${language}`, input: {} },
        },
        { answer: 'done' },
      ],
    });
    const turn = await runtime.send('Run it');
    await turn.done();
    const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
    expect(result?.text).toMatch(
      /\['?"?b\.ts"?'?\][\s\S]*tool_not_visible[\s\S]*tool_not_visible[\s\S]*invalid_input/,
    );
    expect(removed).toEqual([]);
  },
);

const codes = `
for tool, q in (("late.find_code", "late"), ("gh.find_code", "large"), ("gh.find_code", "wrong"), ("gh.delete_repo", ""), ("gh.hidden", "")):
    whole = await agent_io_tools.tool_call(tool_id=f"mcp.{tool}", params={"q": q} if q else {})
    print(tool, whole["error"]["code"])
`;

// proves: mcp.programs-same
test('a program meets the lists, limits and codes of a server as its agent does', async () => {
  const odd: OfferedTool = {
    ...find,
    run: async ({ q }, { mcpReq }) => {
      if (q === 'late') await once(mcpReq.signal, 'abort');
      if (q === 'large') return textResult('x'.repeat(17 * 1024 * 1024));
      return { ...textResult('no such thing'), isError: true };
    },
  };
  const hidden: OfferedTool = { name: 'hidden', run: () => textResult('seen') };
  await using mcp = await openHttpMcp([odd, remove, hidden]);
  await using runtime = await openRuntime({
    // What is large takes seconds on a busy machine: only what never ends has little time.
    bundle: bundleUsing(
      mcp.url,
      { deny: ['delete_*', 'hidden'], timeoutMs: patient(60_000) },
      { id: 'late', timeoutMs: 100 },
    ),
    secrets,
    fetch: network,
    exec: 'process',
    model: [
      { code: codes, call: { tool: 'exec_tools.execute_code_python', input: {} } },
      { answer: 'done' },
    ],
  });
  const turn = await runtime.send('Run it');
  await turn.done();
  const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
  expect(result?.text).toMatch(
    /late.find_code timeout\ngh.find_code interrupted\ngh.find_code tool_failed\ngh.delete_repo tool_not_visible\ngh.hidden tool_not_visible/,
  );
});

const posting = 'await tools.mcp.gh.post()';

// proves: mcp.programs-same
test('a call of a server that is cut off in a program is in doubt, and people see that', async () => {
  const called = new AbortController();
  const post: OfferedTool = {
    name: 'post',
    run: async (_, { mcpReq }) => {
      called.abort();
      await once(mcpReq.signal, 'abort');
      return textResult('late');
    },
  };
  await using mcp = await openHttpMcp([post]);
  await using runtime = await openRuntime({
    bundle: bundleUsing(mcp.url),
    secrets,
    fetch: network,
    exec: 'process',
    model: [
      { code: posting, call: { tool: 'exec_tools.execute_code_python', input: {} } },
      { answer: 'Stopped.' },
    ],
  });
  const turn = await runtime.send('Post it');
  if (!called.signal.aborted) await once(called.signal, 'abort');
  await turn.steer('leave it');
  await turn.done();
  const notice = (await turn.blocks()).find(({ type }) => type === 'react.notice');
  expect(notice?.data).toMatchObject({ code: 'in_doubt', calls: [{ tool: 'mcp.gh.post' }] });
});
