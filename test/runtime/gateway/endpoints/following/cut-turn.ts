import { expect } from 'vitest';
import { cutMs } from '../../../../tools/runs.ts';
import { openServedAgent } from '../served-agent.ts';
import { openCuttingProxy } from './cutting-proxy.ts';

/** A turn that takes several times as long as a connection lives. */
export const answer = Array.from({ length: 40 }, (_, at) => `word ${at}`).join(' ');
export const slow = { answer, chunk: 8, delay_ms: Math.ceil(cutMs / 14) };
const sum = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };

export async function openBehindProxy() {
  const served = await openServedAgent([sum, slow]);
  const proxy = await openCuttingProxy(served.url('/'));
  return {
    served,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
}

export type World = Awaited<ReturnType<typeof openBehindProxy>>;
export const message = { conversation_id: 'conv_a', message_id: 'm1', text: 'What is 1 + 2?' };

/** At least this many connections were cut; otherwise the test shows nothing. */
export async function expectCuts({ proxy }: World, least: number): Promise<void> {
  expect(await proxy.stop()).toBeGreaterThanOrEqual(least);
}
