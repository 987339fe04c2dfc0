import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { createAiSdkModel } from '../../../../runtime/adapters/models/providers/ai-sdk/ai-sdk.ts';
import type { ModelEvent } from '../../../../runtime/engine/ports/model.ts';

const { signal } = new AbortController();
const metadata = (sign: string) => ({ google: { thoughtSignature: sign } });
const call = (id: string, sign: string): LanguageModelV4StreamPart => ({
  ...{ type: 'tool-call', toolCallId: id, toolName: 'a__b', input: '{}' },
  providerMetadata: metadata(sign),
});

/** A model whose attempts stream these parts, one list after the other, and then fail unless it is the last. */
function streaming(attempts: readonly (readonly LanguageModelV4StreamPart[])[]) {
  let asked = 0;
  const model = {
    ...{ specificationVersion: 'v4', provider: 'google.generative-ai', modelId: 'gemini-test' },
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: async () => {
      const parts = attempts[asked] ?? [];
      asked += 1;
      const isLast = asked === attempts.length;
      return {
        stream: new ReadableStream<LanguageModelV4StreamPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            if (isLast) controller.close();
            else controller.error(Object.assign(new Error('busy'), { statusCode: 503 }));
          },
        }),
      };
    },
  } as unknown as LanguageModelV4;
  const abilities = { tools: true, forcedChoice: true, json: true };
  return createAiSdkModel({ provider: 'google', model, abilities });
}

// proves: prompt.carry
test('after a retry, what a provider attached to a call names the calls of the attempt that counts', async () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const finish = { type: 'finish', finishReason: { unified: 'tool-calls' }, usage };
  const model = streaming([
    [],
    [call('one', 's1'), call('two', 's2'), finish as unknown as LanguageModelV4StreamPart],
  ]);
  const events: ModelEvent[] = [];
  const request = {
    ...{ role: 'decision' as const, system: '', maxOutputTokens: 10, temperature: 0 },
    parts: [{ kind: 'text' as const, text: 'Go' }],
    offer: {
      tools: [{ name: 'a__b', description: '', schema: { type: 'object' } }],
      choice: 'auto' as const,
    },
  };
  for await (const event of model.stream(request, { signal })) events.push(event);
  const carried = events.flatMap((event) => (event.kind === 'carry' ? [event.item] : []));
  expect(carried).toMatchObject([
    { kind: 'call', index: 0, options: metadata('s1') },
    { kind: 'call', index: 1, options: metadata('s2') },
  ]);
  expect(events.filter(({ kind }) => kind === 'call')).toHaveLength(2);
});
