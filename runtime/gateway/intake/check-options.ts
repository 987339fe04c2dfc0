import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import { outputByJsonSchema } from '../../tools/definition/output-schema.ts';
import type { Dispatch } from '../../tools/ports/dispatch.ts';
import type { AgentAbilities } from '../ports/bundle-directory.ts';

type Recipient = Partial<AgentAbilities> & {
  readonly agent: string;
  readonly dispatch?: Pick<Dispatch, 'allows'> | undefined;
};

/**
 * Refusal `invalid_input` for options that have no meaning here. `max_rounds` needs no check: the agent's own limit holds
 * anyway.
 */
export function checkOptions(
  { options, kind }: Pick<ChatMessage, 'options' | 'kind'>,
  { dispatch, ...recipient }: Recipient,
): void {
  if (options === undefined) return;
  if (kind === 'steer' || kind === 'approval.decision' || kind === 'external.result') {
    throw new Refusal('invalid_input', `options: ${kind} opens no turn; send them with a prompt`);
  }
  assertDispatchable(options.dispatch_url, { dispatch, place: 'options.dispatch_url' });
  if (options.output !== undefined) outputByJsonSchema(options.output);
  if (options.exec === true) assertRunsPrograms(recipient, 'options.exec');
  if (options.web_search) assertSearches(recipient, 'options.web_search');
  if (options.model !== undefined) assertOffers(recipient, options.model);
}

/** Refusal `invalid_input` for a model that users of the agent may not choose. */
function assertOffers({ agent, models = [] }: Omit<Recipient, 'dispatch'>, model: string): void {
  if (models.includes(model)) return;
  const offer =
    models.length === 0
      ? 'offers no choice of models; its modelChoices would list them'
      : `offers ${models.join(', ')}`;
  throw new Refusal('invalid_input', `options.model: "${model}": agent "${agent}" ${offer}`);
}

/** Refusal `invalid_input` for an agent that runs no programs. `place` names the field. */
export function assertRunsPrograms(
  { agent, exec }: Omit<Recipient, 'dispatch'>,
  place: string,
): void {
  if (exec !== true) {
    throw new Refusal('invalid_input', `${place}: agent "${agent}" runs no programs`);
  }
}

/** Refusal `invalid_input` for an agent that does not search the web. `place` names the field. */
export function assertSearches(
  { agent, webSearch }: Omit<Recipient, 'dispatch'>,
  place: string,
): void {
  if (webSearch === true) return;
  const remedy = 'it needs web_tools.search in its tools, and web.search in assembly.yaml';
  throw new Refusal(
    'invalid_input',
    `${place}: agent "${agent}" does not search the web; ${remedy}`,
  );
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
