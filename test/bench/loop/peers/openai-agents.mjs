import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

export async function open({ url, prompt, instruction }) {
  setTracingDisabled(true);
  const client = new OpenAI({ baseURL: url, apiKey: 'none' });
  const add = tool({
    name: 'math__add',
    description: 'Adds two numbers.',
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => `the sum is ${a + b}`,
  });
  const model = new OpenAIChatCompletionsModel(client, 'instant');
  const agent = new Agent({ name: 'adder', instructions: instruction, model, tools: [add] });
  return async () => {
    const stream = await run(agent, prompt, { stream: true, maxTurns: 15 });
    let text = '';
    for await (const piece of stream.toTextStream()) text += piece;
    await stream.completed;
    return text;
  };
}
