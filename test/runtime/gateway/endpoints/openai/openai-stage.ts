import OpenAI from 'openai';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../../runtime/sdk/index.ts';
import { openRuntime, type Reply } from '../../../../../runtime/testing/index.ts';

const lookup = defineTool({
  id: 'shop.search',
  description: 'Searches the shop.',
  traits: ['exploration'],
  input: z.object({ query: z.string() }),
  run: async ({ query }) => ({ results: [`${query} one`, `${query} two`] }),
});

const write = defineTool({
  id: 'shop.write',
  description: 'Writes a list.',
  traits: ['exploitation'],
  effects: 'keyed',
  input: z.object({ text: z.string() }),
  run: async ({ text }, ctx) => {
    await ctx.files.write('outputs/list.txt', text);
    return 'written';
  },
});

const bundle = defineBundle({
  id: 'bar',
  version: '1',
  title: 'Bar',
  agents: [
    defineAgent({ id: 'main', instruction: 'You keep a bar.', tools: [lookup, write] }),
    defineAgent({ id: 'other', instruction: 'You help.', tools: [] }),
  ],
});

/** The runtime in memory with a scripted model, and the official client of OpenAI. */
export async function openOpenAiStage(model: readonly Reply[]) {
  const runtime = await openRuntime({ bundle, model });
  const client = (options: { readonly user?: string; readonly retries?: number } = {}) =>
    new OpenAI({
      baseURL: `${runtime.url}/v1`,
      apiKey: 'any',
      maxRetries: options.retries ?? 0,
      defaultHeaders: { 'X-Timeloom-User': options.user ?? 'ann' },
    });
  return {
    runtime,
    client,
    openai: client(),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
