import type { Cost } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { ExternalUsage } from '../../../engine/ports/external-agent.ts';

const count = z.number().min(0).nullish();
/** Usage is not in the stable protocol yet; programs send it with their answer, each in a form of its own. */
const Response = z.looseObject({
  usage: z.looseObject({
    inputTokens: count,
    outputTokens: count,
    cachedReadTokens: count,
    cachedWriteTokens: count,
  }),
});
/** As Gemini CLI sends it. */
const Quota = z.looseObject({
  _meta: z.looseObject({
    quota: z.looseObject({
      token_count: z.looseObject({ input_tokens: count, output_tokens: count }),
    }),
  }),
});

type Tokens = Omit<ExternalUsage, 'costUsd'>;

export const noUsage: Tokens = {
  ...{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

/** Undefined: the program does not say what it used. */
export function usageOf(response: unknown): Tokens | undefined {
  const said = Response.safeParse(response).data?.usage;
  if (!said) return quotaOf(response);
  return {
    inputTokens: said.inputTokens ?? 0,
    outputTokens: said.outputTokens ?? 0,
    cacheReadTokens: said.cachedReadTokens ?? 0,
    cacheWriteTokens: said.cachedWriteTokens ?? 0,
  };
}

function quotaOf(response: unknown): Tokens | undefined {
  const counted = Quota.safeParse(response).data?._meta.quota.token_count;
  if (!counted) return undefined;
  const { input_tokens: input, output_tokens: output } = counted;
  return { ...noUsage, inputTokens: input ?? 0, outputTokens: output ?? 0 };
}

/** The cost of a session so far, as its program counts it. */
export function addCost(cost: { total: number }, said: Cost | null | undefined): void {
  if (said?.currency === 'USD' && said.amount > cost.total) cost.total = said.amount;
}
