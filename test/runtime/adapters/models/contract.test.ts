import { describe, expect, test } from 'vitest';
import { openAiSdkModel } from '../../../../runtime/adapters/models/providers/ai-sdk/open-ai-sdk.ts';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import { createOpenaiModel } from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import { createResponsesModel } from '../../../../runtime/adapters/models/providers/openai/responses.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import type { Model } from '../../../../runtime/engine/ports/model.ts';
import {
  type ModelWire,
  openModelWire,
  type WireRequest,
} from '../../../tools/services/model-wire.ts';
import { answerOf, ask, request, textOf } from './ask.ts';

/** A model that says these texts, one a request; `stuck` ones never end by themselves. */
type Saying = { readonly texts: readonly string[]; readonly stuck?: boolean };
type Opened = AsyncDisposable & { readonly model: Model };

const openers: Record<string, (saying: Saying) => Promise<Opened>> = {
  scripted: async ({ texts, stuck }) => {
    const held = (index: number) => (stuck ? { hold: `h${index}` } : {});
    const replies = texts.map((raw, index) => ({
      raw: stuck ? `${raw}{{hold}} never` : raw,
      ...held(index),
    }));
    const model = createScriptedModel(replies, { id: 'scripted:contract' });
    return { model, [Symbol.asyncDispose]: () => Promise.resolve() };
  },
  anthropic: (saying) =>
    onWire(saying, ({ anthropicUrl: baseUrl }) =>
      createAnthropicModel({ model: 'claude-wire', apiKey: 'key', baseUrl }),
    ),
  openai: (saying) =>
    onWire(saying, ({ openaiUrl: baseUrl }) =>
      createOpenaiModel({ model: 'gpt-wire', flavour: 'openai', apiKey: 'key', baseUrl }),
    ),
  responses: (saying) =>
    onWire(saying, ({ openaiUrl: baseUrl }) =>
      createResponsesModel({ model: 'gpt-wire', flavour: 'openai', apiKey: 'key', baseUrl }),
    ),
  google: (saying) =>
    onWire(saying, ({ googleUrl: baseUrl }) =>
      openAiSdkModel({ provider: 'google', model: 'gemini-wire', apiKey: 'key', baseUrl }),
    ),
};

type Urls = Pick<ModelWire, 'anthropicUrl' | 'openaiUrl' | 'googleUrl'>;

async function onWire(
  { texts, stuck }: Saying,
  create: (urls: Urls) => Model | Promise<Model>,
): Promise<Opened> {
  async function* say(text: string, { closed }: WireRequest) {
    yield text;
    if (stuck) await closed;
  }
  const scope = new Scope();
  const wire = scope.own(
    await openModelWire((asked, index) => ({ text: say(texts[index] ?? '', asked) })),
  );
  return { model: await create(wire), [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
}

// proves: models.contract
describe.each(Object.entries(openers))('the %s model', (_name, open) => {
  test('says its text in pieces and ends with exactly one done', async () => {
    await using opened = await open({
      texts: ['Grüße, 😀 <channel:thinking>x</channel:thinking>'],
    });
    const { events, ended } = ask(opened.model, 'hi');
    await ended;
    expect(textOf(events)).toBe('Grüße, 😀 <channel:thinking>x</channel:thinking>');
    expect(events.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ kind: 'done', finish: 'stop' });
  });

  test('tells its usage as whole numbers, and its name', async () => {
    await using opened = await open({ texts: ['Yes.'] });
    const { usage, model } = await answerOf(opened.model, 'hi');
    for (const count of Object.values(usage)) expect(count).toSatisfy(isCount);
    expect(usage.inputTokens + usage.cacheReadTokens).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(model).not.toBe('');
  });

  test('knows its id, its window and its cost', async () => {
    await using opened = await open({ texts: [] });
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 };
    expect(opened.model.id).toMatch(/^(scripted|anthropic|openai|google):/);
    expect(opened.model.contextTokens).toBeGreaterThan(10_000);
    expect(opened.model.costUsd(usage)).toBeGreaterThanOrEqual(0);
  });

  test('throws the reason of a signal that was aborted before', async () => {
    await using opened = await open({ texts: ['Yes.'] });
    const { events, ended } = ask(opened.model, 'hi', AbortSignal.abort(new Error('too late')));
    await expect(ended).rejects.toThrow('too late');
    expect(events).toEqual([]);
  });

  test('throws the reason of a signal that is aborted in the middle, and says no more', async () => {
    await using opened = await open({ texts: ['Half'], stuck: true });
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of opened.model.stream(request('hi'), { signal: stop.signal })) {
        if (event.kind === 'begun') continue;
        seen.push(event.kind);
        stop.abort(new Error('steer'));
      }
    })();
    await expect(reading).rejects.toThrow('steer');
    expect(seen).toEqual(['text']);
  });

  test('lets its reader leave early', async () => {
    await using opened = await open({ texts: ['Half'], stuck: true });
    const { signal } = new AbortController();
    for await (const event of opened.model.stream(request('hi'), { signal })) {
      expect(['begun', 'text']).toContain(event.kind);
      break;
    }
  });

  test('answers two requests at once without mixing them', async () => {
    const texts = ['A'.repeat(200), 'B'.repeat(200)];
    await using opened = await open({ texts });
    const answers = await Promise.all([answerOf(opened.model, 'a'), answerOf(opened.model, 'b')]);
    expect(answers.map(({ text }) => text).toSorted()).toEqual(texts);
  });
});

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
