import { expect, test, vi } from 'vitest';
import { turnsPerWorkerMax } from '../../../runtime/engine/limits.ts';
import { defineAgent, defineBundle, type ToolContext } from '../../../runtime/sdk/index.ts';
import { manualClock, openRuntime, outline } from '../../../runtime/testing/index.ts';
import { oneTool } from './bundle-kit.ts';

const bundleOf = (run: (ctx: ToolContext) => unknown) => oneTool('site.fetch', run);

test('time stands still until it is advanced, and wakes sleepers in order', async () => {
  const clock = manualClock('2026-01-01T00:00:00.000Z');
  const woken: string[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  void clock.sleep(20, { signal }).then(() => woken.push(`late at ${clock.monotonic()}`));
  void clock.sleep(10, { signal }).then(() => woken.push(`early at ${clock.monotonic()}`));
  const never = clock.sleep(1_000, { signal });
  await clock.advance(5);
  expect(woken).toEqual([]);
  await clock.advance(95);
  expect(woken).toEqual(['early at 10', 'late at 20']);
  expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:00.100Z');
  stop.abort(new Error('enough'));
  await expect(never).rejects.toThrow('enough');
  await expect(clock.sleep(1, { signal })).rejects.toThrow('enough');
});

test('an outline has one line per block', () => {
  const blocks = [
    { type: 'user.prompt', text: 'hi' },
    { type: 'react.tool.call', data: { tool: 'a.b' } },
    { type: 'react.tool.progress', text: 'half' },
    { type: 'react.tool.result', data: { ok: false, error: { code: 'timeout' } } },
    { type: 'turn.close', data: { reason: 'completed' } },
  ];
  expect(outline(blocks)).toEqual([
    'user.prompt',
    'react.tool.call a.b',
    'react.tool.progress half',
    'react.tool.result timeout',
    'turn.close completed',
  ]);
  expect(outline(blocks, 'turn')).toEqual(['turn.close completed']);
});

test('a script without further replies fails the turn with a message', async () => {
  await using runtime = await openRuntime({ bundle: bundleOf(() => 1), model: [] });
  const { reason, error } = await (await runtime.send('hi')).done();
  expect([reason, error?.code]).toEqual(['failed', 'SCRIPT_MISMATCH']);
});

test('after a worker is killed, another continues the same turn without loss', async () => {
  let calls = 0;
  let started = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const hang = ({ signal }: ToolContext) => {
    calls += 1;
    if (calls > 1) return 'found';
    started();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const model = [{ call: { tool: 'site.fetch' } }, { answer: 'Found.' }];
  await using runtime = await openRuntime({ bundle: bundleOf(hang), model });
  const turn = await runtime.send('fetch it');
  await running;
  await runtime.crash();
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Found.' });
  expect(outline(await turn.blocks(), 'react.tool', 'assistant')).toEqual([
    'react.tool.call site.fetch',
    'react.tool.result ok',
    'assistant.completion',
  ]);
  expect(calls).toBe(2);
});

test('unsupported features return an error', async () => {
  await using runtime = await openRuntime({ bundle: bundleOf(() => 1), model: [] });
  await expect(runtime.job('sweep')).rejects.toThrow(/NOT_IN_BUNDLE.*job sweep/);
  const { status } = await runtime.operation('x', new Request('http://x.test'));
  expect(status).toBe(404);
});

// proves: engine.programs-announced
test('where programs are off, the model reads why and what to do', async () => {
  const capOf = async (tools: readonly `${string}.${string}`[]) => {
    const agent = defineAgent({ id: 'main', instruction: 'x', tools });
    const bundle = defineBundle({ id: 'acme', version: '1', agents: [agent] });
    await using runtime = await openRuntime({ bundle, model: [{ answer: 'Hi.' }] });
    await (await runtime.send('Hello')).done();
    return /^- programs: .*$/m.exec(runtime.model.requests[0]?.text ?? '')?.[0];
  };
  expect(await capOf([])).toBe(undefined);
  expect(await capOf(['exec_tools.*'])).toMatch(
    /^- programs: none here; Programs are switched off .*TIMELOOM_EXEC_MODE=off/,
  );
});

test('programs use the Docker engine that DOCKER_HOST names', async () => {
  vi.stubEnv('DOCKER_HOST', 'unix:///nowhere/docker.sock');
  const opening = openRuntime({ bundle: bundleOf(() => 1), exec: 'docker', model: [] });
  await expect(opening).rejects.toThrow(/no Docker engine answers at .*nowhere/);
  vi.unstubAllEnvs();
});

test('a worker with the maximum number of turns does not report a leak', async () => {
  const warned: string[] = [];
  const hear = ({ message }: Error) => warned.push(message);
  process.on('warning', hear);
  const held = Array.from({ length: turnsPerWorkerMax }, (_, n) => ({
    hold: `turn ${n}`,
    answer: 'Hi.',
  }));
  await using runtime = await openRuntime({ bundle: bundleOf(() => 1), model: held });
  const client = runtime.connect();
  const turns = await Promise.all(held.map(() => client.conversation().send('Hello')));
  await Promise.all(held.map(({ hold }) => runtime.model.held(hold)));
  for (const { hold } of held) runtime.model.release(hold);
  await Promise.all(turns.map((turn) => turn.done()));
  process.off('warning', hear);
  expect(warned).toEqual([]);
});
