import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

export async function open({ url, prompt, instruction }) {
  const add = tool(async ({ a, b }) => `the sum is ${a + b}`, {
    name: 'math__add',
    description: 'Adds two numbers.',
    schema: z.object({ a: z.number(), b: z.number() }),
  });
  const llm = new ChatOpenAI({
    model: 'instant',
    apiKey: 'none',
    streaming: true,
    configuration: { baseURL: url },
  });
  const agent = createReactAgent({
    llm,
    tools: [add],
    prompt: instruction,
    checkpointer: new MemorySaver(),
  });
  let count = 0;
  return async () => {
    count += 1;
    const input = { messages: [{ role: 'user', content: prompt }] };
    const config = { configurable: { thread_id: `thread-${count}` }, streamMode: 'messages' };
    let text = '';
    for await (const [chunk] of await agent.stream(input, config)) {
      if (chunk.getType() === 'ai' && typeof chunk.content === 'string') text += chunk.content;
    }
    return text;
  };
}
