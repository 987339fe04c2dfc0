import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import { outputByJsonSchema } from '../../tools/definition/output-schema.ts';
import type { Dispatch } from '../../tools/ports/dispatch.ts';

type Recipient = {
  readonly agent: string;
  readonly exec?: boolean;
  readonly dispatch?: Pick<Dispatch, 'allows'> | undefined;
};

/**
 * Refusal `invalid_input` for options that have no meaning here. `max_rounds` needs no check: the agent's own limit holds
 * anyway.
 */
export function checkOptions(
  { options, kind }: Pick<ChatMessage, 'options' | 'kind'>,
  { agent, exec, dispatch }: Recipient,
): void {
  if (options === undefined) return;
  if (kind === 'steer' || kind === 'approval.decision' || kind === 'external.result') {
    throw new Refusal('invalid_input', `options: ${kind} opens no turn; send them with a prompt`);
  }
  assertDispatchable(options.dispatch_url, { dispatch, place: 'options.dispatch_url' });
  if (options.output !== undefined) outputByJsonSchema(options.output);
  if (options.exec === true && exec !== true) {
    throw new Refusal('invalid_input', `options.exec: agent "${agent}" runs no programs`);
  }
}

/** Refusal `forbidden` for an address that the operator does not list. `place` names the field. */
export function assertDispatchable(
  url: string | null | undefined,
  { dispatch, place }: Pick<Recipient, 'dispatch'> & { readonly place: string },
): void {
  if (url === undefined || url === null || dispatch?.allows(url) === true) return;
  const message = `${place}: the operator must list this address in dispatch.urls of gateway.yaml`;
  throw new Refusal('forbidden', message);
}
