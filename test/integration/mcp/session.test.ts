import { EventEmitter, once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { idleMsMax } from '../../../runtime/adapters/mcp/tools/limits.ts';
import { manualClock } from '../../../runtime/testing/clock.ts';
import { openHttpMcp } from '../../runtime/adapters/mcp/http-server.ts';
import {
  contextOf,
  httpSettings,
  openPool,
  patiently,
  run,
  soon,
  toolOf,
} from '../../runtime/adapters/mcp/kit.ts';
import { type OfferedTool, textResult } from '../../runtime/adapters/mcp/make-server.ts';
import { containing, matching } from '../../tools/matchers.ts';

const echo: OfferedTool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, times: { type: 'integer' } },
    required: ['text'],
  },
  run: ({ text, times = 1 }) => textResult(String(text).repeat(Number(times))),
};

// proves: mcp.called
test.each([false, true])(
  'a tool of a server is called like any other (protocol of 2026: %s)',
  async (modern) => {
    await using mcp = await openHttpMcp([echo], { modern });
    await using pool = openPool();
    const server = await pool.open(httpSettings(mcp.url), patiently);
    const tool = toolOf(server, 'echo');
    expect(tool.spec).toMatchObject({
      id: 'mcp.demo.echo',
      description: 'Says it again.',
      effects: 'unkeyed',
      concurrency: 'alone',
      traits: [],
      kind: 'platform',
      parameters: { properties: { text: { type: 'string' } }, required: ['text'] },
    });
    expect(await run(tool, { text: 'ab', times: 2 })).toEqual({ ok: true, ret: 'abab' });
  },
);

// proves: mcp.one-session
test('bundles that use one server with the same credentials share its session, others have their own', async () => {
  await using mcp = await openHttpMcp([echo]);
  await using pool = openPool();
  mcp.bearer = 'key-one';
  const [first, second] = await Promise.all([
    pool.open(httpSettings(mcp.url, { bearer: 'key-one' }), patiently),
    pool.open(httpSettings(mcp.url, { bearer: 'key-one', allow: ['none'] }), patiently),
  ]);
  expect(mcp.sessions.size).toBe(1);
  mcp.bearer = 'key-two';
  const third = await pool.open(httpSettings(mcp.url, { bearer: 'key-two' }), patiently);
  expect(mcp.sessions.size).toBe(2);
  await first[Symbol.asyncDispose]();
  expect(mcp.sessions.size).toBe(2);
  expect(second.offer().tools).toEqual([]);
  await third[Symbol.asyncDispose]();
  expect(mcp.sessions.size).toBe(1);
});

test('calls use one session, with a limit on calls at a time, and answers are not mixed up', async () => {
  let [now, most] = [0, 0];
  const slow: OfferedTool = {
    ...echo,
    run: async ({ text }) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return textResult(String(text));
    },
  };
  await using mcp = await openHttpMcp([slow]);
  await using pool = openPool();
  const tool = toolOf(await pool.open(httpSettings(mcp.url), patiently), 'echo');
  const texts = Array.from({ length: 60 }, (_, i) => `t${i}`);
  const results = await Promise.all(texts.map((text) => run(tool, { text })));
  expect(results).toEqual(texts.map((ret) => ({ ok: true, ret })));
  expect(mcp.sessions.size).toBe(1);
  expect(most).toBeLessThanOrEqual(16);
});

// proves: mcp.credentials
test('a wrong bearer hides the tools, says so without the value, and a right one brings them back', async () => {
  await using mcp = await openHttpMcp([echo]);
  mcp.bearer = 'the-right-key';
  let value = 'the-wrong-key';
  await using pool = openPool();
  const settings = httpSettings(mcp.url, {
    access: async () => ({ values: { authorization: `Bearer ${value}` }, secrets: [value] }),
  });
  const server = await pool.open(settings, patiently);
  expect(server.offer()).toEqual({
    tools: [],
    notice:
      'mcp.demo is out of reach, it refuses our credentials: its tools are hidden until it is back',
  });
  value = 'the-right-key';
  await vi.waitFor(() => expect(server.offer().tools).toHaveLength(1), soon);
  expect(server.offer().notice).toBeUndefined();
  expect(JSON.stringify(pool.logged)).not.toMatch(/the-(right|wrong)-key/);
});

test('a session that the server has forgotten is opened again, and the call is made once', async () => {
  let calls = 0;
  const count: OfferedTool = {
    name: 'count',
    run: () => {
      calls += 1;
      return textResult(String(calls));
    },
  };
  await using mcp = await openHttpMcp([count]);
  await using pool = openPool();
  const tool = toolOf(await pool.open(httpSettings(mcp.url), patiently), 'count');
  mcp.forget();
  expect(await run(tool)).toEqual({ ok: true, ret: '1' });
});

// proves: mcp.in-doubt
test('a server that breaks off in the middle of a call leaves it in doubt, unless it changes nothing', async () => {
  const stopping = { run: () => new Promise<never>(() => void mcp.stop()) };
  await using mcp = await openHttpMcp([
    { name: 'change', ...stopping },
    { name: 'look', annotations: { readOnlyHint: true }, ...stopping },
  ]);
  await using pool = openPool();
  const server = await pool.open(httpSettings(mcp.url), patiently);
  const [change, look] = [toolOf(server, 'change'), toolOf(server, 'look')];
  expect(await run(change)).toEqual({
    ok: false,
    error: {
      code: 'interrupted',
      message:
        'The MCP server “demo” broke off while this call ran. It may have taken effect: look before you repeat it.',
      retryable: false,
    },
  });
  await mcp.start();
  expect(await run(look)).toMatchObject({ error: { code: 'interrupted', retryable: true } });
});

// proves: mcp.back
test('a server that goes away keeps its tools in the catalogue for a while, with a notice, and comes back on its own', async () => {
  await using mcp = await openHttpMcp([echo]);
  await using pool = openPool();
  const server = await pool.open(httpSettings(mcp.url), patiently);
  const tool = toolOf(server, 'echo');
  const { tools } = server.offer();
  await mcp.stop();
  expect(await run(tool, { text: 'a' })).toMatchObject({
    ok: false,
    error: {
      code: matching(/^(mcp_unreachable|interrupted)$/),
      message: containing('The MCP server “demo”'),
    },
  });
  expect(await run(tool, { text: 'a' })).toMatchObject({
    error: { code: 'mcp_unreachable', retryable: true },
  });
  expect(server.offer().tools).toBe(tools);
  expect(server.offer().notice).toBe(
    'mcp.demo is out of reach, it does not answer as it should: its tools may fail',
  );
  await mcp.start();
  await vi.waitFor(() => expect(server.offer().notice).toBeUndefined(), soon);
  expect(server.offer().tools).toBe(tools);
  expect(await run(tool, { text: 'a' })).toEqual({ ok: true, ret: 'a' });
  const lines = pool.logged
    .map(({ message }) => message)
    .filter((text) => text.startsWith('mcp server'));
  expect(lines).toEqual(['mcp server is out of reach', 'mcp server is back']);
});

// proves: mcp.list-changed
test.each([false, true])(
  'a server that says its tools have changed is asked again (protocol of 2026: %s)',
  async (modern) => {
    await using mcp = await openHttpMcp([echo], { modern });
    await using pool = openPool();
    const server = await pool.open(httpSettings(mcp.url), patiently);
    expect(await run(toolOf(server, 'echo'), { text: 'a' })).toMatchObject({ ok: true });
    mcp.tools = [echo, { name: 'more' }];
    await vi.waitFor(async () => {
      await mcp.changed();
      expect(server.offer().tools.map(({ spec }) => spec.id)).toEqual([
        'mcp.demo.echo',
        'mcp.demo.more',
      ]);
    }, soon);
  },
);

// proves: mcp.cancelled
test.each([false, true])(
  'a call that is stopped is cancelled at the server (protocol of 2026: %s)',
  async (modern) => {
    const begun = new EventEmitter<{ begun: [AbortSignal] }>();
    const wait: OfferedTool = {
      name: 'wait',
      run: async (_, { mcpReq }) => {
        begun.emit('begun', mcpReq.signal);
        await once(mcpReq.signal, 'abort');
        return textResult('stopped');
      },
    };
    await using mcp = await openHttpMcp([wait, echo], { modern });
    await using pool = openPool();
    const server = await pool.open(httpSettings(mcp.url), patiently);
    const steer = new AbortController();
    const atServers = once(begun, 'begun');
    const running = run(toolOf(server, 'wait'), {}, steer);
    const heard: unknown[] = await atServers;
    const [atServer] = heard;
    if (!(atServer instanceof AbortSignal)) throw new Error('a call has a signal');
    steer.abort(new Error('steer'));
    await expect(running).rejects.toThrow('steer');
    if (!atServer.aborted) await once(atServer, 'abort');
    expect(await run(toolOf(server, 'echo'), { text: 'on' })).toEqual({ ok: true, ret: 'on' });
  },
);

test('what a server says of its progress is shown', async () => {
  const busy: OfferedTool = {
    name: 'busy',
    run: async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 0;
      const tell = (progress: number, message: string) =>
        mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 4, message },
        });
      await tell(1, 'reading');
      await tell(9, 'nearly there');
      return textResult('done');
    },
  };
  await using mcp = await openHttpMcp([busy]);
  await using pool = openPool();
  const tool = toolOf(await pool.open(httpSettings(mcp.url), patiently), 'busy');
  const { context, shown } = contextOf();
  await tool.run({}, context);
  expect(shown).toEqual([
    { text: 'reading', fraction: 0.25 },
    { text: 'nearly there', fraction: 1 },
  ]);
});

// proves: mcp.large
test('an answer beyond the limit ends its call and no other, and memory holds', async () => {
  await using mcp = await openHttpMcp([
    { name: 'flood', run: () => textResult('x'.repeat(17 * 1024 * 1024)) },
    { name: 'fine', run: () => textResult('ok') },
  ]);
  await using pool = openPool();
  const server = await pool.open(httpSettings(mcp.url), patiently);
  expect(await run(toolOf(server, 'flood'))).toMatchObject({
    ok: false,
    error: { code: 'interrupted' },
  });
  expect(await run(toolOf(server, 'fine'))).toEqual({ ok: true, ret: 'ok' });
  expect(mcp.sessions.size).toBe(1);
});

// proves: mcp.idle
test('a session that nobody uses is closed, keeps its catalogue, and is opened again by the next call', async () => {
  const clock = manualClock('2026-01-01T00:00:00.000Z');
  await using mcp = await openHttpMcp([echo]);
  await using pool = openPool({ clock });
  const server = await pool.open(httpSettings(mcp.url), patiently);
  const { tools } = server.offer();
  await clock.advance(idleMsMax - 1);
  expect(mcp.sessions.size).toBe(1);
  await clock.advance(1);
  await vi.waitFor(() => expect(mcp.sessions.size).toBe(0), soon);
  expect(server.offer()).toEqual({ tools });
  expect(await run(toolOf(server, 'echo'), { text: 'a' })).toEqual({ ok: true, ret: 'a' });
  expect(mcp.sessions.size).toBe(1);
});
