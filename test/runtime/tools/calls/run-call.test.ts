import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Fault } from '../../../../runtime/base/fault.ts';
import type { Json } from '../../../../runtime/base/json.ts';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import { Work } from '../../../../runtime/base/signal.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { CallContext, ToolOutcome, ToolSpec } from '../../../../runtime/tools/ports/tool.ts';
import { isOutcomeUnknown } from '../../../../runtime/tools/results/in-doubt.ts';
import { blocksOf, error, openWorld, ret, turn } from '../kit.ts';

afterEach(() => vi.useRealTimers());

function tool(run: (context: CallContext) => Promise<ToolOutcome>, spec: Partial<ToolSpec> = {}) {
  return createTool({
    id: 'demo.act',
    kind: 'bundle',
    description: 'acts',
    input: z.object({ n: z.number().default(0) }),
    ...spec,
    run: (_, context) => run(context),
  });
}

/** Values that a bundle without types may return. */
function untyped(value: unknown): Json {
  return value as Json;
}

const fine = (value: Json) => tool(async () => ({ result: { ok: true, ret: value } }));

test('a call ends with its blocks in order, followed by its single result', async () => {
  const world = await openWorld();
  const busy = tool(async ({ services }) => {
    services.progress({ text: 'half', fraction: 0.5 });
    await services.writeFile({ filepath: 'outputs/a.txt', bytes: new TextEncoder().encode('hi') });
    await services.addSources([{ url: 'https://a.io/x', title: 'A' }]);
    return { result: { ok: true, ret: { done: true } } };
  });
  const performed = await world.perform(busy, {}, { call: toCallId('tc_busy') });
  expect(performed.blocks.map(({ type, path }) => `${type} ${path ?? ''}`)).toEqual([
    'react.tool.progress ',
    `artifact.file fi:${turn}.outputs/a.txt`,
    'source.row so:sources_pool[1]',
    `react.tool.result tc:${turn}.tc_busy.result`,
  ]);
  expect(performed.blocks.at(-1)).toMatchObject({
    text: '{"done":true}',
    data: { ok: true, ret: { done: true } },
  });
});

// proves: tools.validation
// proves: tools.retryable
test('invalid input never reaches the tool, and the error names its path', async () => {
  const world = await openWorld();
  const run = vi.fn();
  const performed = await world.perform(tool(run), { n: 'many' });
  expect(run).not.toHaveBeenCalled();
  expect(error(performed)).toMatchObject({
    code: 'invalid_input',
    retryable: false,
    violations: [{ path: 'n' }],
  });
  expect(performed.preview).toContain('expected number');
});

test('a Refusal keeps its code, a Fault its text, anything else is tool_failed with its message cut and masked', async () => {
  const world = await openWorld();
  const throwing = (problem: Error) => tool(async () => Promise.reject(problem));
  const mask = (text: string) => text.replaceAll('s3cret', '•••');
  const no = await world.perform(
    throwing(new Refusal('site_down', 'down s3cret', { retryable: true })),
    {},
    { mask },
  );
  expect(error(no)).toEqual({ code: 'site_down', message: 'down •••', retryable: true });
  const world2 = await world.perform(
    throwing(new Fault('STORE_UNAVAILABLE', { because: 's3cret' })),
    {},
    { mask },
  );
  expect(error(world2)).toEqual({
    code: 'STORE_UNAVAILABLE',
    message: 'the timeline store does not respond',
    retryable: true,
  });
  const odd = await world.perform(throwing(new Error(`s3cret ${'x'.repeat(900)}`)), {}, { mask });
  expect(error(odd)?.code).toBe('tool_failed');
  expect(error(odd)?.message).toMatch(/^••• x+$/);
  expect(error(odd)?.message.length).toBeLessThanOrEqual(500);
});

test('a secret in a returned value is masked in place', async () => {
  const world = await openWorld();
  const performed = await world.perform(
    fine({ key: 's3cret' }),
    {},
    { mask: (text) => text.replaceAll('s3cret', '•••') },
  );
  expect(ret(performed)).toEqual({ key: '•••' });
  expect(performed.preview).toBe('{"key":"•••"}');
});

// proves: i3.effects-honest
test('a call that takes too long is a timeout; an effect that cannot be repeated is in doubt', async () => {
  const world = await openWorld();
  const slow = (effects: ToolSpec['effects']) =>
    tool(
      async ({ signal }) => {
        await once(signal, 'abort');
        throw signal.reason;
      },
      { effects, timeoutMs: 5 },
    );
  expect(error(await world.perform(slow('none'), {}))).toMatchObject({
    code: 'timeout',
    retryable: true,
  });
  const doubt = await world.perform(slow('unkeyed'), {});
  expect(error(doubt)).toMatchObject({ code: 'timeout', retryable: false });
  expect(error(doubt)?.message).toContain('may have taken effect');
});

test('a connection lost during an effect that cannot be repeated leaves the effect in doubt', async () => {
  const world = await openWorld();
  const lost = (effects: ToolSpec['effects'], kind: Fault) =>
    tool(() => Promise.reject(kind), { effects });
  const { result } = await world.perform(lost('unkeyed', new Fault('MODEL_OVERLOADED')), {});
  expect(result).toMatchObject({
    error: {
      code: 'MODEL_OVERLOADED',
      message:
        'the model service is busy. In doubt: it may have taken effect. Check before you repeat it.',
      retryable: false,
    },
  });
  expect(isOutcomeUnknown(result)).toBe(true);
  const keyed = await world.perform(lost('keyed', new Fault('MODEL_OVERLOADED')), {});
  expect(error(keyed)).toMatchObject({ message: 'the model service is busy', retryable: true });
  const never = await world.perform(lost('unkeyed', new Fault('NOT_AVAILABLE')), {});
  expect(error(never)?.message).not.toContain('effect');
  expect(isOutcomeUnknown(never.result)).toBe(false);
});

test('a call stopped from outside is interrupted, with the progress it yielded so far', async () => {
  const world = await openWorld();
  using work = new Work(AbortSignal.timeout(10_000));
  const stopped = tool(async ({ services, signal }) => {
    services.progress({ text: 'page 1' });
    work.stop('steer');
    throw signal.reason;
  });
  const performed = await world.perform(stopped, {}, { signal: work.signal });
  expect(performed.result).toMatchObject({
    ok: false,
    error: { code: 'interrupted' },
    ret: { yielded: [{ text: 'page 1' }] },
  });
});

test.each([
  ['steer', 'none', 'Stopped by the user before it ended. It has no effects and may be repeated.'],
  ['steer', 'keyed', 'Stopped by the user before it ended. Repeated, it takes effect once.'],
  [
    'shutdown',
    'unkeyed',
    'Stopped by a shutdown of the server before it ended. In doubt: it may have taken effect. Check before you repeat it.',
  ],
] as const)(
  'a call stopped by a %s states who stopped it and what is known of its effects (%s)',
  async (why, effects, message) => {
    const world = await openWorld();
    using work = new Work(AbortSignal.timeout(10_000));
    const stopped = tool(
      async ({ signal }) => {
        work.stop(why);
        throw signal.reason;
      },
      { effects },
    );
    const performed = await world.perform(stopped, {}, { signal: work.signal });
    expect(error(performed)).toMatchObject({ message, retryable: effects !== 'unkeyed' });
  },
);

test('a call that succeeds despite an abort has succeeded', async () => {
  const world = await openWorld();
  using work = new Work(AbortSignal.timeout(10_000));
  const quick = tool(async () => {
    work.stop('steer');
    return { result: { ok: true, ret: 'sent' } };
  });
  expect(ret(await world.perform(quick, {}, { signal: work.signal }))).toBe('sent');
});

test('a tool that does not stop is abandoned, and its later actions have no effect', async () => {
  vi.useFakeTimers();
  const world = await openWorld();
  let late: (() => void) | undefined;
  const stubborn = tool(
    ({ services }) =>
      new Promise(() => {
        late = () => services.progress({ text: 'late' });
      }),
    { timeoutMs: 10 },
  );
  const running = world.perform(stubborn, {});
  await vi.advanceTimersByTimeAsync(10_000);
  const performed = await running;
  expect(error(performed)?.code).toBe('timeout');
  expect(() => late?.()).toThrow(Refusal);
  expect(blocksOf(performed, 'react.tool.progress')).toEqual([]);
});

test('a return value that is not JSON is a failure that the model can read', async () => {
  const world = await openWorld();
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const odd = tool(async () => ({ result: { ok: true, ret: untyped(circle) } }));
  const failed = error(await world.perform(odd, {}));
  expect(failed?.code).toBe('tool_failed');
  expect(failed?.message).toContain('not JSON');
  const large = tool(async () => ({ result: { ok: true, ret: untyped({ id: 1n }) } }));
  expect(error(await world.perform(large, {}))?.message).toContain('serialize a BigInt');
  const nothing = tool(async () => ({ result: { ok: true, ret: untyped(undefined) } }));
  expect(ret(await world.perform(nothing, {}))).toBeNull();
});

// proves: tools.whole-result
test('a large result is previewed, kept whole as a blob, and read again under its path', async () => {
  const world = await openWorld();
  const rows = Array.from({ length: 3000 }, (_, id) => ({ id, word: 'lorem' }));
  const performed = await world.perform(fine(rows), {}, { call: toCallId('tc_large') });
  const [block] = blocksOf(performed, 'react.tool.result');
  expect(performed.preview.length).toBeLessThanOrEqual(12_000);
  expect(block).toMatchObject({
    data: {
      ok: true,
      ret_size: JSON.stringify(rows).length,
      shape: '3,000 × { id: number, word: string(5) }',
    },
  });
  const { services } = await world.contextOf(fine(0), {});
  const again = await services.read(`tc:${turn}.tc_large.result`);
  expect(again && JSON.parse(new TextDecoder().decode(await services.bytes(again)))).toEqual(rows);
});

test('a tool can set the text that the model reads, within the same limit', async () => {
  const world = await openWorld();
  const chatty = tool(
    async () => ({ result: { ok: true, ret: { n: 1 } }, preview: 'one '.repeat(9000) }),
    { resultLimit: 1000 },
  );
  const performed = await world.perform(chatty, {});
  expect(performed.preview.length).toBeLessThanOrEqual(1000);
  expect(performed.preview).toContain('one one');
});
