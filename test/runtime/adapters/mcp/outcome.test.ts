import { expect, test } from 'vitest';
import { toOutcome } from '../../../../runtime/adapters/mcp/tools/to-outcome.ts';
import { createMask } from '../../../../runtime/sdk/compile/host/mask.ts';
import { containing } from '../../../tools/matchers.ts';
import { openHttpMcp } from './http-server.ts';
import { contextOf, httpSettings, openPool, patiently, run, toolOf } from './kit.ts';
import { textResult } from './make-server.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const mask = createMask();

test('text is the result, structured content goes before it', async () => {
  const { context } = contextOf();
  const text = [
    { type: 'text' as const, text: 'a' },
    { type: 'text' as const, text: 'b' },
  ];
  expect(await toOutcome({ content: text }, { mask, context })).toMatchObject({
    result: { ok: true, ret: 'a\nb' },
  });
  expect(
    await toOutcome({ content: text, structuredContent: { n: 1 } }, { mask, context }),
  ).toMatchObject({
    result: { ok: true, ret: { n: 1 } },
  });
});

// proves: tools.digits
test('an integer that JavaScript cannot represent is taken from the text of the server, which has its digits, or as an error', async () => {
  const { context } = contextOf();
  const structuredContent = { order: { ids: [1, Number('12345678901234567890')] } };
  const text = '{"order":{"ids":[1,12345678901234567890]}}';
  const content = [{ type: 'text' as const, text }];
  expect((await toOutcome({ content, structuredContent }, { mask, context })).result).toEqual({
    ...{ ok: true, ret: text },
  });
  const failed = { content, structuredContent, isError: true };
  expect((await toOutcome(failed, { mask, context })).result).toEqual({
    ...{ ok: false, error: { code: 'tool_failed', message: text, retryable: false } },
  });
  const silent = await toOutcome({ content: [], structuredContent }, { mask, context });
  expect(silent.result).toMatchObject({ ok: false, error: { code: 'digits_lost' } });
  expect(JSON.stringify(silent.result)).toContain('at order.ids.1,');
});

// proves: mcp.own-errors
test.each([-32_000, -32_001, -32_603])(
  'an error with the code %i that a server answers is its own, not an answer that broke off',
  async (code) => {
    const refuse = () => Promise.reject(Object.assign(new Error('the quota is used up'), { code }));
    await using mcp = await openHttpMcp([{ name: 'order', run: refuse }]);
    await using pool = openPool();
    const tool = toolOf(await pool.open(httpSettings(mcp.url), patiently), 'order');
    expect(await run(tool)).toEqual({
      ok: false,
      error: {
        code: 'tool_failed',
        message: containing('the quota is used up'),
        retryable: false,
      },
    });
  },
);

// proves: mcp.files
test('images and other bytes become files of the call; what a model can look at is shown to it', async () => {
  const { context, collector } = contextOf();
  const outcome = await toOutcome(
    {
      content: [
        { type: 'text', text: 'Here.' },
        { type: 'image', data: png, mimeType: 'image/png' },
        { type: 'image', data: 'bm8gcG5n', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/../../x\nevil' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
        {
          type: 'resource',
          resource: { uri: 'file:///b', blob: 'AAAA', mimeType: 'application/pdf' },
        },
        { type: 'resource_link', name: 'page', uri: 'https://x.test/page' },
      ],
    },
    { mask, context },
  );
  expect(outcome.result).toEqual({
    ok: true,
    ret: {
      text: 'Here.\nfile:///a.txt:\ninside\npage: https://x.test/page',
      files: [
        { path: 'fi:turn_1.files/mcp/tc_1-1.png', mime: 'image/png', size: 70 },
        { path: 'fi:turn_1.files/mcp/tc_1-2.png', mime: 'image/png', size: 6 },
        { path: 'fi:turn_1.files/mcp/tc_1-3.bin', mime: 'application/octet-stream', size: 3 },
        { path: 'fi:turn_1.files/mcp/tc_1-4.pdf', mime: 'application/pdf', size: 3 },
      ],
    },
  });
  const files = collector.take();
  expect(outcome.attached).toEqual([
    { path: 'fi:turn_1.files/mcp/tc_1-1.png', mime: 'image/png', blob: files[0]?.blob, tokens: 1 },
  ]);
});

// proves: mcp.failed
test('what the server calls an error is one, whole and bounded', async () => {
  const { context } = contextOf();
  const text = 'no '.repeat(2_000);
  const { result } = await toOutcome(
    { isError: true, content: [{ type: 'text', text }] },
    { mask, context },
  );
  expect(result).toEqual({
    ok: false,
    error: { code: 'tool_failed', message: text.slice(0, 2_000), retryable: false },
    ret: text,
  });
});

// proves: mcp.secrets
test('a server that says our credentials back is not heard: not in results, errors, progress, words or files of its tools', async () => {
  const secret = 'sekret-123456';
  await using mcp = await openHttpMcp([
    {
      name: 'leak',
      description: `Knows ${secret}.`,
      inputSchema: { type: 'object', properties: { a: { type: 'string', description: secret } } },
      run: () => textResult(`your key is ${secret}`),
    },
    { name: 'fail', run: () => ({ ...textResult(secret), isError: true }) },
    {
      name: 'throw',
      run: () => {
        throw new Error(`bad ${secret}`);
      },
    },
    { name: 'data', run: () => ({ content: [], structuredContent: { [secret]: [secret] } }) },
  ]);
  mcp.bearer = secret;
  await using pool = openPool();
  const server = await pool.open(httpSettings(mcp.url, { bearer: secret }), patiently);
  const results = [];
  for (const name of ['leak', 'fail', 'throw', 'data'])
    results.push(await run(toolOf(server, name)));
  const seen = JSON.stringify([results, server.offer().tools.map(({ spec }) => spec), pool.logged]);
  expect(seen).not.toContain(secret);
  expect(seen.match(/•••/g)?.length).toBe(7);
});

// proves: mcp.permitted
test('what is not allowed is neither offered nor called, whatever it is called', async () => {
  const called: string[] = [];
  const offered = [
    'search_code',
    'Search-Code',
    'search_code ',
    'delete_repo',
    'search_secret',
  ].map((name) => ({
    name,
    run: () => {
      called.push(name);
      return textResult('done');
    },
  }));
  await using mcp = await openHttpMcp(offered);
  await using pool = openPool();
  let deny: readonly string[] = ['*secret*'];
  const settings = httpSettings(mcp.url, { allow: ['search_*'] });
  const server = await pool.open(
    {
      ...settings,
      get deny() {
        return deny;
      },
    },
    patiently,
  );
  expect(server.offer().tools.map(({ spec }) => spec.id)).toEqual([
    'mcp.demo.search_code',
    expect.stringMatching(/^mcp\.demo\.search_code_[0-9a-f]{6}$/),
  ]);
  const tool = toolOf(server, 'search_code');
  await run(tool);
  deny = ['*'];
  await expect(run(tool)).rejects.toMatchObject({ code: 'tool_not_visible' });
  expect(called).toEqual(['search_code']);
});

// proves: mcp.keys
test('a repeatable call carries our key where the server takes one; a read only changes nothing', async () => {
  const seen: unknown[] = [];
  const inputSchema = {
    type: 'object',
    properties: { n: { type: 'integer' }, idempotency_key: { type: 'string' } },
    required: ['n', 'idempotency_key'],
  };
  const take = (input: unknown) => {
    seen.push(input);
    return textResult('done');
  };
  await using mcp = await openHttpMcp([
    { name: 'pay', inputSchema, annotations: { idempotentHint: true }, run: take },
    { name: 'pay_once', inputSchema, run: take },
    { name: 'put', annotations: { idempotentHint: true } },
    { name: 'look', annotations: { readOnlyHint: true } },
  ]);
  await using pool = openPool();
  const server = await pool.open(httpSettings(mcp.url), patiently);
  const spec = (name: string) => toolOf(server, name).spec;
  expect(spec('pay')).toMatchObject({
    effects: 'keyed',
    parameters: { properties: { n: {} }, required: ['n'] },
  });
  expect(spec('pay').parameters['properties']).not.toHaveProperty('idempotency_key');
  expect(spec('pay_once').effects).toBe('unkeyed');
  expect(spec('put').effects).toBe('unkeyed');
  expect(spec('look')).toMatchObject({
    effects: 'none',
    traits: ['exploration'],
    concurrency: 'safe',
  });
  const pay = toolOf(server, 'pay');
  expect(pay.parse({ n: '1' })).toEqual({ ok: true, input: { n: 1 } });
  await run(pay, { n: 1 });
  expect(seen).toEqual([{ n: 1, idempotency_key: 'key_1' }]);
});

test('a result that does not fit what the tool promised is an error', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  await using mcp = await openHttpMcp([
    { name: 'right', outputSchema, run: () => ({ content: [], structuredContent: { n: 1 } }) },
    { name: 'wrong', outputSchema, run: () => ({ content: [], structuredContent: { n: 'x' } }) },
  ]);
  await using pool = openPool();
  const server = await pool.open(httpSettings(mcp.url), patiently);
  expect(await run(toolOf(server, 'right'))).toEqual({ ok: true, ret: { n: 1 } });
  expect(await run(toolOf(server, 'wrong'))).toMatchObject({
    ok: false,
    error: { code: 'tool_failed', message: containing('n: must be integer') },
  });
});
