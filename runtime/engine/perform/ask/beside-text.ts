import type { Protocol } from '../../../channels/protocol/reply-piece.ts';
import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import { type Asking, offeredTools, offerOf } from '../../agent/offer.ts';

/** What the request has beside its text: in the form that is sent, stored, hashed and recorded. */
export function besideText(agent: AgentSettings, asking: Asking, protocol: Protocol) {
  if (protocol === 'json') {
    const format = { format: 'json' } as const;
    return { names: undefined, texts: {}, record: {}, request: format, hashed: format };
  }
  if (protocol !== 'native-tools') {
    return { names: undefined, texts: {}, record: {}, request: {}, hashed: {} };
  }
  const { names, text } = offeredTools(agent);
  const offer = offerOf(agent, asking);
  const { choice } = offer;
  const hashed = { tools: text, choice };
  return { names, texts: { offer: text }, record: { choice }, request: { offer }, hashed };
}
