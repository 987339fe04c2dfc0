import { expect, test } from 'vitest';
import { openModel } from '../../../../runtime/adapters/models/open-models.ts';
import { withFallback } from '../../../../runtime/adapters/models/providers/fallback.ts';
import { withFaults, withRetries } from '../../../../runtime/adapters/models/providers/retries.ts';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Fault, type FaultCode } from '../../../../runtime/base/fault.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import type { Model, ModelEvent } from '../../../../runtime/engine/ports/model.ts';
import { manualClock } from '../../../../runtime/testing/index.ts';
import { openModelWire } from '../../../tools/services/model-wire.ts';
import { openHarness } from '../../engine/kit/harness.ts';
import { answerOf, ask } from './ask.ts';

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** A model that says its name, or fails by the next of these codes, after its text or before. */
function named(name: string, failures: FaultCode[] = [], { midway = false } = {}) {
  const asked: string[] = [];
  const model: Model = {
    id: `test:${name}`,
    contextTokens: name === 'first' ? 200_000 : 32_000,
    abilities: { tools: true, forcedChoice: name === 'first', json: true },
    costUsd: () => (name === 'first' ? 1 : 2),
    async *stream(request): AsyncGenerator<ModelEvent> {
      await Promise.resolve();
      asked.push(request.role);
      const code = failures.shift();
      if (code !== undefined && !midway) throw new Fault(code);
      yield { kind: 'text', text: name };
      if (code !== undefined) throw new Fault(code);
      yield { kind: 'done', finish: 'stop', usage, model: `${name}-2026` };
    },
  };
  return { model, asked };
}

// proves: models.fallback
test.each(['MODEL_OVERLOADED', 'MODEL_UNREACHABLE'] as const)(
  'after %s the fallback answers, for a while',
  async (code) => {
    let nowMs = 0;
    const first = named('first', [code]);
    const model = withFallback(first.model, named('other').model, { now: () => nowMs });
    const answered = async () => (await answerOf(model, 'hi')).model;
    expect(await answered()).toBe('other-2026');
    nowMs = 59_000;
    expect(await answered()).toBe('other-2026');
    expect(first.asked).toHaveLength(1);
    nowMs = 61_000;
    expect(await answered()).toBe('first-2026');
  },
);

// proves: models.fallback-logged
test('the log says which model failed and why, once for the time that it rests', async () => {
  const lines: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (message: string, facts?: object) => lines.push([message, facts]),
  };
  const first = named('first', ['MODEL_REFUSED']);
  const refused: Model = {
    ...first.model,
    stream: async function* () {
      yield* [];
      throw new Fault('MODEL_REFUSED', { status: 401, because: 'invalid x-api-key' });
    },
  };
  const model = withFallback(refused, named('other').model, { log });
  const answers = [await answerOf(model, 'hi'), await answerOf(model, 'hi')];
  expect(lines).toEqual([
    [
      'a model failed, and its fallback answers',
      expect.objectContaining({
        model: 'test:first',
        fallback: 'test:other',
        code: 'MODEL_REFUSED',
      }),
    ],
  ]);
  for (const { insteadOf } of answers)
    expect(insteadOf).toEqual({ model: 'test:first', code: 'MODEL_REFUSED' });
});

// proves: models.fallback
test('a model with a fallback is not asked twice: the fallback answers its first failure', async () => {
  await using wire = await openModelWire(({ provider }) =>
    provider === 'anthropic'
      ? { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
      : { text: ['From the other one.'] },
  );
  const settings = {
    model: 'anthropic:claude-opus-5-5',
    fallback: { model: 'openai:gpt-5' },
  };
  const model = await openModel(settings, {
    ...{ anthropicApiKey: 'a', anthropicBaseUrl: wire.anthropicUrl },
    ...{ openaiApiKey: 'o', openaiBaseUrl: wire.openaiUrl },
  });
  expect((await answerOf(model, 'hi')).text).toBe('From the other one.');
  expect(wire.requests.map(({ provider }) => provider)).toEqual(['anthropic', 'openai']);
});

// proves: models.fallback
test('a reply that breaks off in the middle fails, and its retry goes to the fallback', async () => {
  const first = named('first', ['MODEL_OVERLOADED'], { midway: true });
  const model = withFallback(first.model, named('other').model);
  await expect(answerOf(model, 'hi')).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
  expect((await answerOf(model, 'hi')).text).toBe('other');
});

// proves: models.fallback
test.each([
  ['a wrong key', 401, 'authentication_error'],
  ['a model that does not exist', 404, 'not_found_error'],
  ['a used-up quota', 429, 'insufficient_quota'],
] as const)('after %s the fallback answers at once', async (_, status, type) => {
  const { model: plain } = named('first');
  let attempts = 0;
  const error = Object.assign(new Error('no'), { status, type });
  const first: Model = {
    ...plain,
    stream: (_request, { signal }) =>
      withRetries(
        () => {
          attempts += 1;
          return withFaults(() => Promise.reject(error), signal);
        },
        { signal, retriesMax: 2 },
      ),
  };
  const model = withFallback(first, named('other').model);
  expect((await answerOf(model, 'hi')).text).toBe('other');
  expect(attempts).toBe(1);
});

test('a refusal of the request is not retried elsewhere', async () => {
  const other = named('other');
  const model = withFallback(named('first', ['MODEL_REFUSED']).model, other.model);
  await expect(answerOf(model, 'hi')).rejects.toMatchObject({ code: 'MODEL_REFUSED' });
  expect(other.asked).toHaveLength(0);
});

test('a model that its reader stopped after a long silence rests; one that was stopped at work does not', async () => {
  for (const [silentMs, answers] of [
    [30_000, 'other'],
    [1_000, 'first'],
  ] as const) {
    let nowMs = 0;
    let stuck = true;
    let isWaiting = () => {};
    const waiting = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    const { model: plain } = named('first');
    const first: Model = {
      ...plain,
      async *stream(request, options) {
        if (!stuck) return yield* plain.stream(request, options);
        yield { kind: 'text', text: 'Half' };
        isWaiting();
        await new Promise((resolve) => options.signal.addEventListener('abort', resolve));
        options.signal.throwIfAborted();
      },
    };
    const model = withFallback(first, named('other').model, { now: () => nowMs });
    const stop = new AbortController();
    const { ended } = ask(model, 'hi', stop.signal);
    await waiting;
    nowMs = silentMs;
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
    stuck = false;
    expect((await answerOf(model, 'hi')).text).toBe(answers);
  }
});

// proves: models.fallback
test('a prompt suits both models, and the one that answered is charged', async () => {
  const model = withFallback(named('first', ['MODEL_OVERLOADED']).model, named('other').model);
  expect(model.contextTokens).toBe(32_000);
  expect(model.abilities).toEqual({ tools: true, forcedChoice: false, json: true });
  const { model: answeredBy } = await answerOf(model, 'hi');
  expect([model.costUsd(usage), model.costUsd(usage, answeredBy)]).toEqual([1, 2]);
});

// proves: models.fallback
test('a turn whose model breaks off in the middle of a reply is answered by the fallback', async () => {
  const clock = manualClock();
  const broken: Reply = {
    thinking: 'Let me see.',
    answer: 'It is',
    fault: { code: 'MODEL_OVERLOADED' },
  };
  const first = createScriptedModel([broken], { id: 'scripted:first' });
  const other = createScriptedModel([{ answer: 'It is 5.' }], { id: 'scripted:other' });
  const model = withFallback(first, other);
  await using harness = await openHarness([], { clock, through: () => model });
  await harness.say('2 + 3?');
  const end = new AbortController();
  const closed = harness.closed().finally(() => end.abort());
  while (!end.signal.aborted) await clock.advance(1_000);
  const blocks = await closed;
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'It is 5.' });
  const calls = blocks.filter(({ type }) => type === 'model.call').map(({ data }) => data);
  expect(calls).toMatchObject([
    { model: 'scripted:first', finish: 'interrupted' },
    {
      ...{ model: 'scripted:other', finish: 'stop' },
      instead_of: { model: 'scripted:first', code: 'MODEL_OVERLOADED' },
    },
  ]);
});
