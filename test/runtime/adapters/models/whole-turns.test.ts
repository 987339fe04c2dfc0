import { expect, test } from 'vitest';
import { openAiSdkModel } from '../../../../runtime/adapters/models/providers/ai-sdk/open-ai-sdk.ts';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import { createOpenaiModel } from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import { createResponsesModel } from '../../../../runtime/adapters/models/providers/openai/responses.ts';
import type { Model } from '../../../../runtime/engine/ports/model.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { type ModelWire, openModelWire } from '../../../tools/services/model-wire.ts';
import { openHarness } from '../../engine/kit/harness.ts';

const key = { apiKey: 'key' };
const openers: Record<string, (wire: ModelWire) => Model | Promise<Model>> = {
  anthropic: ({ anthropicUrl: baseUrl }) =>
    createAnthropicModel({ model: 'claude-wire', ...key, baseUrl }),
  openai: ({ openaiUrl: baseUrl }) =>
    createOpenaiModel({ model: 'gpt-wire', flavour: 'openai', ...key, baseUrl }),
  responses: ({ openaiUrl: baseUrl }) =>
    createResponsesModel({ model: 'gpt-wire', flavour: 'openai', ...key, baseUrl }),
  google: ({ googleUrl: baseUrl }) =>
    openAiSdkModel({ provider: 'google', model: 'gemini-wire', ...key, baseUrl }),
  mistral: ({ mistralUrl: baseUrl }) =>
    openAiSdkModel({ provider: 'mistral', model: 'mistral-wire', ...key, baseUrl }),
};
const forms = ['text', 'messages'] as const;
const cases = Object.keys(openers).flatMap((name) => forms.map((form) => [name, form] as const));

// proves: models.whole-turns
test.each(cases)(
  'a turn with a tool call runs through the wire of %s, with prompts as %s',
  async (name, promptForm) => {
    await using wire = await openModelWire((_, index) =>
      index === 0
        ? { text: ['Adding.'], calls: [{ name: 'math__add', input: { a: 2, b: 3 } }] }
        : { text: ['It is **5**.', '<channel:summary>Sum 5.</channel:summary>'] },
    );
    const model = await openers[name]?.(wire);
    if (!model) throw new Error(name);
    await using harness = await openHarness([], { through: () => model, agent: { promptForm } });
    await harness.say('2 + 3?');
    const blocks = await harness.closed();
    expect(verify(blocks)).toEqual([]);
    expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'It is **5**.' });
    const outline = blocks.map(({ type }) => type).filter((type) => /tool|completion/.test(type));
    expect(outline).toEqual(['react.tool.call', 'react.tool.result', 'assistant.completion']);
    expect(blocks.find(({ type }) => type === 'round.open')?.data).toMatchObject({
      protocol: 'native-tools',
    });
    expect(wire.requests).toHaveLength(2);
    expect(wire.requests[1]?.raw).toContain('5');
  },
);
