import type { Cost } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { ExternalUsage } from '../../../engine/ports/external-agent.ts';

const count = z.number().min(0).nullish();
/** Usage is not in the stable protocol yet; programs send it with their answer. */
const Response = z.looseObject({
  usage: z.looseObject({
    inputTokens: count,
    outputTokens: count,
    cachedReadTokens: count,
    cachedWriteTokens: count,
  }),
});

type Tokens = Omit<ExternalUsage, 'costUsd'>;

export const noUsage: Tokens = {
  ...{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

/** Undefined: the program does not say what it used. */
export function usageOf(response: unknown): Tokens | undefined {
  const said = Response.safeParse(response).data?.usage;
  if (!said) return undefined;
  return {
    inputTokens: said.inputTokens ?? 0,
    outputTokens: said.outputTokens ?? 0,
    cacheReadTokens: said.cachedReadTokens ?? 0,
    cacheWriteTokens: said.cachedWriteTokens ?? 0,
  };
}

/** The cost of a session so far, as its program counts it. */
export function addCost(cost: { total: number }, said: Cost | null | undefined): void {
  if (said?.currency === 'USD' && said.amount > cost.total) cost.total = said.amount;
}
