import type { WireEvent, WireStream } from './wire-reply.ts';

/** The stream of Google's generateContent. A call comes whole, in one event. */
export async function* toGemini(reply: WireStream): AsyncGenerator<WireEvent> {
  const { text, reasoning, calls = [], finish = 'stop', usage = { input: 1, output: 1 } } = reply;
  const { input, output, cacheRead = 0 } = usage;
  const usageMetadata = {
    promptTokenCount: input + cacheRead,
    candidatesTokenCount: output,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: input + cacheRead + output,
  };
  const chunk = (parts: readonly object[], rest: object = {}) => ({
    data: {
      candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
      modelVersion: 'gemini-wire',
      usageMetadata,
    },
  });
  if (reasoning) yield chunk([{ text: reasoning, thought: true }]);
  for await (const piece of text) yield chunk([{ text: piece }]);
  if (reply.end === 'overloaded') {
    yield { data: { error: { code: 503, status: 'UNAVAILABLE', message: 'Overloaded' } } };
  }
  if (reply.end) return;
  for (const [n, { name, input: args }] of calls.entries()) {
    yield chunk([{ functionCall: { name, args }, thoughtSignature: `sealed ${n}` }]);
  }
  if (finish === 'none') return;
  yield chunk([], {
    finishReason: { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }[finish],
  });
}
