import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

export async function open({ url, prompt, instruction }) {
  const provider = createOpenAICompatible({
    name: 'instant',
    baseURL: url,
    apiKey: 'none',
    includeUsage: true,
  });
  const tools = {
    math__add: tool({
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: async ({ a, b }) => `the sum is ${a + b}`,
    }),
  };
  return async () => {
    const stopWhen = stepCountIs(15);
    const stream = streamText({
      model: provider('instant'),
      system: instruction,
      prompt,
      tools,
      stopWhen,
    });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    return text;
  };
}
