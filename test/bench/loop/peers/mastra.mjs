import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

export async function open({ url, prompt, instruction }) {
  const provider = createOpenAICompatible({
    name: 'instant',
    baseURL: url,
    apiKey: 'none',
    includeUsage: true,
  });
  const add = createTool({
    id: 'math__add',
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => `the sum is ${a + b}`,
  });
  const agent = new Agent({
    id: 'adder',
    name: 'adder',
    instructions: instruction,
    model: provider('instant'),
    tools: { math__add: add },
  });
  return async () => {
    const stream = await agent.stream(prompt, { maxSteps: 15 });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    return text;
  };
}
