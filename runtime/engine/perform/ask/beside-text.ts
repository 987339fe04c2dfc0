import type { Protocol } from '../../../channels/protocol/reply-piece.ts';
import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import { offeredTools, offerOf } from '../../agent/offer.ts';
import type { AskStep } from '../../plan/plan-ask.ts';

/** What the request has beside its text: in the form that is sent, stored, hashed and recorded. */
export function besideText(agent: AgentSettings, { phase, cause }: AskStep, protocol: Protocol) {
  if (protocol === 'json') {
    const format = { format: 'json' } as const;
    return { names: undefined, texts: {}, record: {}, request: format, hashed: format };
  }
  if (protocol !== 'native-tools') {
    return { names: undefined, texts: {}, record: {}, request: {}, hashed: {} };
  }
  const { names, text } = offeredTools(agent);
  const offer = offerOf(agent, { phase, cause });
  const { choice } = offer;
  const hashed = { tools: text, choice };
  return { names, texts: { offer: text }, record: { choice }, request: { offer }, hashed };
}
