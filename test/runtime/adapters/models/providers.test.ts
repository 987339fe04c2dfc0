import { createGoogle } from '@ai-sdk/google';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAiSdkModel } from '../../../../runtime/adapters/models/providers/ai-sdk/ai-sdk.ts';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import { createOpenaiModel } from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import { createResponsesModel } from '../../../../runtime/adapters/models/providers/openai/responses.ts';
import { isFault } from '../../../../runtime/base/fault.ts';
import { runs } from '../../../tools/runs.ts';
import {
  type ModelWire,
  openModelWire,
  type WireRequest,
} from '../../../tools/services/model-wire.ts';
import { answerOf, ask, callsOf, textOf } from './ask.ts';

const providers = {
  anthropic: ({ anthropicUrl: baseUrl }: ModelWire, retriesMax = 2) =>
    createAnthropicModel({ model: 'claude-wire', apiKey: 'key', baseUrl, retriesMax }),
  openai: ({ openaiUrl: baseUrl }: ModelWire, retriesMax = 2) =>
    createOpenaiModel({ model: 'gpt-wire', flavour: 'openai', apiKey: 'key', baseUrl, retriesMax }),
  responses: ({ openaiUrl: baseUrl }: ModelWire, retriesMax = 2) =>
    createResponsesModel({
      ...{ model: 'gpt-wire', flavour: 'openai', apiKey: 'key' },
      ...{ baseUrl, retriesMax },
    }),
  google: ({ googleUrl: baseUrl }: ModelWire, retriesMax = 2) =>
    createAiSdkModel({
      provider: 'google',
      model: createGoogle({ apiKey: 'key', baseURL: baseUrl })('gemini-wire'),
      abilities: { tools: true, forcedChoice: true, json: true },
      retriesMax,
    }),
};

// proves: models.not-streamed
describe.each(['anthropic', 'openai', 'responses'] as const)(
  'JSON in place of a stream of %s',
  (name) => {
    const faultOf = async (body: string) => {
      await using wire = await openModelWire(() => ({ status: 200, body }));
      const thrown: unknown = await answerOf(providers[name](wire), 'hi').catch(
        (error: unknown) => error,
      );
      if (!isFault(thrown)) throw new Error(`not a fault: ${String(thrown)}`);
      return { code: thrown.code, message: thrown.message, requests: wire.requests.length };
    };

    test('is named with what to do, and not asked for again', async () => {
      const body = JSON.stringify({
        choices: [{ message: { role: 'assistant', content: 'Hi.' } }],
      });
      const { code, message, requests } = await faultOf(body);
      expect([code, requests]).toEqual(['MODEL_NOT_STREAMED', 1]);
      expect(message).toMatch(
        /answered with JSON where a stream was expected; check its base URL.*Hi\./s,
      );
    });

    test('that holds an error is that error', async () => {
      const body = JSON.stringify({
        error: { message: 'out of memory', type: 'invalid_request_error' },
      });
      const { code, message } = await faultOf(body);
      expect(code).toBe('MODEL_REFUSED');
      expect(message).toContain('out of memory');
    });
  },
);

describe.each(Object.entries(providers))('%s', (name, create) => {
  // proves: models.wire
  test('text is the same however its bytes are torn', async () => {
    const say = { text: ['Grüße ', '😀', '\n\ndata: [DONE]\n\n', 'ok'], packetBytes: 0 };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 90 }), async (packetBytes) => {
        await using wire = await openModelWire(() => ({ ...say, packetBytes }));
        const { text, finish } = await answerOf(create(wire), 'hi');
        expect({ text, finish }).toEqual({ text: say.text.join(''), finish: 'stop' });
      }),
      { ...runs(6), examples: [[1], [7]] },
    );
  });

  test('usage tells what was read from and written to the cache apart', async () => {
    // Google does not charge for writing to the cache, and does not report it.
    const written = name === 'google' ? 0 : 56;
    const usage = { input: 12, output: 34, cacheRead: 1000, cacheWrite: written };
    await using wire = await openModelWire(() => ({ text: ['Hi.'], usage }));
    expect((await answerOf(create(wire), 'hi')).usage).toEqual({
      inputTokens: 12,
      outputTokens: 34,
      cacheReadTokens: 1000,
      cacheWriteTokens: written,
    });
  });

  test.each([
    ['length', 'length'],
    ['refusal', 'refusal'],
    ['none', 'unknown'],
  ] as const)('a stream that ends by %s finishes as %s', async (said, finish) => {
    await using wire = await openModelWire(() => ({ text: ['Half'], finish: said }));
    expect(await answerOf(create(wire), 'hi')).toMatchObject({ text: 'Half', finish });
  });

  test('the reasoning of a provider is kept apart from its text', async () => {
    await using wire = await openModelWire(() => ({ text: ['Yes.'], reasoning: 'Hm.' }));
    const { events, ended } = ask(create(wire), 'hi');
    await ended;
    expect(textOf(events)).toBe('Yes.');
    expect(events).toContainEqual({ kind: 'reasoning', text: 'Hm.' });
  });

  // proves: models.call-deltas
  test('tool calls arrive whole and in order, beside text', async () => {
    const calls = [
      { name: 'math__add', input: { a: 1, text: 'Grüße "😀"' } },
      { name: 'web__search', input: {}, chars: 1 },
    ];
    await using wire = await openModelWire(() => ({
      text: ['Let me see.'],
      calls,
      packetBytes: 5,
    }));
    const { events, ended } = ask(create(wire), 'hi');
    await ended;
    expect(textOf(events)).toBe('Let me see.');
    expect(callsOf(events)).toEqual(calls.map(({ name: called, input }) => [called, input]));
    expect(events.at(-1)).toMatchObject({ kind: 'done', finish: 'stop' });
  });

  // proves: budget.cut
  test('a provider that says what it has read before its first word is heard', async () => {
    const usage = { input: 12, output: 34, cacheRead: 1000, cacheWrite: 56 };
    await using wire = await openModelWire(() => ({ text: ['Hi.'], usage }));
    const { events, ended } = ask(create(wire), 'hi');
    await ended;
    const read = { inputTokens: 12, cacheReadTokens: 1000, cacheWriteTokens: 56 };
    const begun = events.filter(({ kind }) => kind === 'begun');
    expect(begun).toMatchObject(name === 'anthropic' ? [{ usage: read }] : []);
  });

  test('aborting closes the connection', async () => {
    async function* stuck({ closed }: WireRequest) {
      yield 'Half';
      await closed;
    }
    await using wire = await openModelWire((request) => ({ text: stuck(request) }));
    const stop = new AbortController();
    const reading = (async () => {
      const model = create(wire);
      const asked = {
        role: 'decision',
        system: '',
        parts: [],
        maxOutputTokens: 1,
        temperature: 0,
      } as const;
      for await (const _ of model.stream(asked, { signal: stop.signal }))
        stop.abort(new Error('steer'));
    })();
    await expect(reading).rejects.toThrow('steer');
    expect(await wire.requests[0]?.closed).toBe('hung up');
  });

  test.each([
    [401, { type: 'authentication_error', message: 'invalid key' }, 'MODEL_REFUSED'],
    [403, { type: 'permission_error', message: 'not yours' }, 'MODEL_REFUSED'],
    [404, { type: 'not_found_error', message: 'no such model' }, 'MODEL_REFUSED'],
    [400, { type: 'invalid_request_error', message: 'max_tokens: too large' }, 'MODEL_REFUSED'],
    [
      400,
      { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' },
      'MODEL_CONTEXT_OVERFLOW',
    ],
    [
      400,
      { type: 'invalid_request_error', message: "model's maximum context length is 8" },
      'MODEL_CONTEXT_OVERFLOW',
    ],
    [413, { type: 'request_too_large', message: 'too large' }, 'MODEL_CONTEXT_OVERFLOW'],
    [429, { type: 'insufficient_quota', message: 'pay first' }, 'MODEL_REFUSED'],
    [429, { type: 'rate_limit_error', message: 'slow down' }, 'MODEL_OVERLOADED'],
    [500, { type: 'api_error', message: 'oops' }, 'MODEL_OVERLOADED'],
    [529, { type: 'overloaded_error', message: 'busy' }, 'MODEL_OVERLOADED'],
  ])('status %s %j becomes a fault with the reason in it', async (status, error, code) => {
    await using wire = await openModelWire(() => ({ status, error }));
    const fault = await answerOf(create(wire, 0), 'hi').catch((thrown: unknown) => thrown);
    if (!isFault(fault)) throw new Error(`not a fault: ${String(fault)}`);
    expect(fault.code).toBe(code);
    expect(fault.message).toContain(error.message);
    expect(fault.cause).toBeInstanceOf(Error);
  });

  test('a busy provider is asked again after the wait it asks for, twice at most', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0' } };
    await using wire = await openModelWire((_, index) => (index < 2 ? busy : { text: ['Yes.'] }));
    expect((await answerOf(create(wire), 'hi')).text).toBe('Yes.');
    expect(wire.requests).toHaveLength(3);

    await using always = await openModelWire(() => busy);
    await expect(answerOf(create(always), 'hi')).rejects.toMatchObject({
      code: 'MODEL_OVERLOADED',
    });
    expect(always.requests).toHaveLength(3);
  });

  test('a wait that is too long fails at once', async () => {
    await using wire = await openModelWire(() => ({
      status: 429,
      headers: { 'retry-after': '90' },
    }));
    await expect(answerOf(create(wire), 'hi')).rejects.toMatchObject({
      code: 'MODEL_OVERLOADED',
      detail: { retryAfterMs: 90_000 },
    });
    expect(wire.requests).toHaveLength(1);
  });

  test('a refusal is not tried again', async () => {
    await using wire = await openModelWire(() => ({
      status: 401,
      headers: { 'retry-after': '0' },
    }));
    await expect(answerOf(create(wire), 'hi')).rejects.toMatchObject({ code: 'MODEL_REFUSED' });
    expect(wire.requests).toHaveLength(1);
  });

  test('a connection that breaks before the first byte is tried again', async () => {
    await using wire = await openModelWire((_, index) => (index < 1 ? 'cut' : { text: ['Yes.'] }));
    expect((await answerOf(create(wire), 'hi')).text).toBe('Yes.');
  });

  test.each([
    ['cut', 'MODEL_UNREACHABLE'],
    ['overloaded', 'MODEL_OVERLOADED'],
  ] as const)('a stream that is %s after its first text is not tried again', async (end, code) => {
    await using wire = await openModelWire(() => ({ text: ['Half'], end }));
    const { events, ended } = ask(create(wire), 'hi');
    await expect(ended).rejects.toMatchObject({ code });
    expect(textOf(events)).toBe('Half');
    expect(wire.requests).toHaveLength(1);
  });

  test('a stream that ends before its first event is an error', async () => {
    await using wire = await openModelWire(() => ({ text: [], finish: 'none' }));
    await expect(answerOf(create(wire, 0), 'hi')).rejects.toMatchObject({
      code: 'MODEL_UNREACHABLE',
    });
  });

  test('a server that is not there is unreachable', async () => {
    const wire = await openModelWire(() => 'cut');
    await wire[Symbol.asyncDispose]();
    await expect(answerOf(create(wire, 0), 'hi')).rejects.toMatchObject({
      code: 'MODEL_UNREACHABLE',
    });
  });

  test('the model is called by its name, and names itself in the end', async () => {
    await using wire = await openModelWire(() => ({ text: ['Yes.'] }));
    const { model } = await answerOf(create(wire), 'hi');
    const called = { anthropic: 'claude-wire', google: 'gemini-wire' }[name] ?? 'gpt-wire';
    expect(model).toBe(called);
    expect(wire.requests[0]?.path + JSON.stringify(wire.requests[0]?.body)).toContain(called);
  });
});
