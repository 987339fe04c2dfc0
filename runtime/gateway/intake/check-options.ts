import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import { outputByJsonSchema } from '../../tools/definition/output-schema.ts';

type Recipient = { readonly agent: string; readonly exec?: boolean };

/**
 * Refusal `invalid_input` for options that have no meaning here. `max_rounds` needs no check: the agent's own limit holds
 * anyway.
 */
export function checkOptions(
  { options, kind }: Pick<ChatMessage, 'options' | 'kind'>,
  { agent, exec }: Recipient,
): void {
  if (options === undefined) return;
  if (kind === 'steer' || kind === 'approval.decision' || kind === 'external.result') {
    throw new Refusal('invalid_input', `options: ${kind} opens no turn; send them with a prompt`);
  }
  if (options.output !== undefined) outputByJsonSchema(options.output);
  if (options.exec === true && exec !== true) {
    throw new Refusal('invalid_input', `options.exec: agent "${agent}" runs no programs`);
  }
}
