import { isFault } from '../../base/fault.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import {
  type ChatMessage,
  chatMessage,
  recallRequest,
} from '../../client/protocol/request-schemas.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import { findConversation, findConversationForMessage } from '../auth/find-conversation.ts';
import { type AttachmentServices, hostAttachments } from '../files/host-attachments.ts';
import { parseInput } from '../input/parse-input.ts';
import { RateLimit } from '../input/rate-limit.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import { acceptEvent, type Submission } from './accept-event.ts';
import {
  followed,
  type IntakeResult,
  subscriptionStart,
  toAck,
  toConflict,
  toWireError,
} from './ack.ts';
import { admitMessage } from './admit-event.ts';
import { checkOptions } from './check-options.ts';
import { messagesPerMinuteMax } from './limits.ts';
import { type RecallStatus, recallEvent } from './recall-event.ts';

type TakeOptions = {
  readonly signal: AbortSignal;
  /** Earlier messages of a conversation that its client keeps, as text; stored right before the message. */
  readonly transcript?: string | undefined;
  /** Where the endpoint delivers the message, whatever it names: an agent, the call that the agent makes, stored files. */
  readonly to?: Pick<Submission, 'agent' | 'call' | 'rerun'> & Partial<Pick<Submission, 'files'>>;
};

/** Accepts messages of every transport: parse, admit, store files, accept, wake. */
export class Intake {
  readonly #deps: GatewayDeps;
  readonly #files: AttachmentServices;
  readonly #rate: RateLimit;
  readonly counts = { started: 0, queued: 0, duplicate: 0, conflict: 0, refused: 0 };

  constructor(deps: GatewayDeps, files: AttachmentServices) {
    this.#deps = deps;
    this.#files = files;
    this.#rate = new RateLimit(deps.clock, {
      perMinute: messagesPerMinuteMax,
      ...deps.limits?.user,
    });
  }

  /** Never throws: an error is part of the result, and then nothing of the message is stored. */
  async take(sender: Sender, raw: unknown, options: TakeOptions): Promise<IntakeResult> {
    try {
      const taken = await this.#take(sender, raw, options);
      this.counts[taken.ack.status] += 1;
      return taken;
    } catch (error) {
      this.counts.refused += 1;
      return { ack: { ok: false, status: 'refused', error: this.explain(error) } };
    }
  }

  /** Withdraws an event. Refusals `invalid_input`, `not_found`, `busy`. */
  async recall(
    sender: Sender,
    raw: unknown,
    { signal }: { signal: AbortSignal },
  ): Promise<RecallStatus> {
    this.#limitRate(sender);
    const { conversation_id: conversation, event_id: event } = parseInput(recallRequest, raw);
    const row = await findConversation(this.#deps.store, sender, { conversation, signal });
    return recallEvent(this.#deps, { sender, row, event, signal });
  }

  #limitRate({ tenant, project, user }: Sender): void {
    this.#rate.consume(JSON.stringify([tenant, project, user]));
  }

  /** The part of an error that a client may read; errors other than refusals are logged here. */
  explain(error: unknown) {
    if (!isRefusal(error)) {
      const level = isFault(error) && error.kind === 'transient' ? 'warn' : 'error';
      this.#deps.log[level]('request failed', { error });
    }
    return toWireError(error);
  }

  async #take(
    sender: Sender,
    raw: unknown,
    { signal, transcript, to }: TakeOptions,
  ): Promise<IntakeResult> {
    this.#limitRate(sender);
    const message = parseInput(chatMessage, raw);
    const agent = to?.agent ?? this.#agentOf(message);
    const { bundles, blobs, files, store, clock, dispatch } = this.#deps;
    checkOptions(message, { ...agent, dispatch, ...bundles.allows(agent.bundle, agent.agent) });
    const named = { conversation: message.conversation_id, signal };
    const row = await findConversationForMessage(store, sender, named);
    const place = { bundle: agent.bundle, bundles, store, clock, signal };
    const event = await admitMessage({ sender, message, row }, place);
    const context = { sender, blobs, signal, ...this.#files, ...(files && { files }) };
    const hosted = await hostAttachments(message.attachments ?? [], context);
    const all = [...hosted, ...(to?.files ?? [])];
    const own = { files: all, agent, call: to?.call, rerun: to?.rerun };
    const submission = { sender, message, event, ...own };
    return this.#accept({ ...submission, ...(transcript && { transcript }) }, signal);
  }

  async #accept(submission: Submission, signal: AbortSignal): Promise<IntakeResult> {
    const { sender, message } = submission;
    const { accepted, events } = await acceptEvent(submission, { ...this.#deps, signal });
    const { status } = accepted;
    if (status === 'conflict') return { ack: toConflict(message) };
    const start = subscriptionStart(accepted, events);
    const row =
      status === 'duplicate'
        ? await this.#deps.store.find(sender, accepted.conversation, { signal })
        : followed(sender, accepted);
    return {
      ack: toAck(accepted, status, { message, start }),
      ...(row && { from: { row, start } }),
    };
  }

  #agentOf({ bundle_id, agent_id }: ChatMessage): Submission['agent'] {
    const { bundles } = this.#deps;
    const fallback = bundles.default();
    if (bundle_id === undefined && agent_id === undefined) return fallback;
    const bundle = bundle_id ?? fallback.bundle;
    const agent = bundles.agent(bundle, agent_id);
    if (agent !== undefined) return { bundle, agent };
    const wanted =
      agent_id === undefined ? `bundle "${bundle}"` : `agent "${agent_id}" in "${bundle}"`;
    throw new Refusal('not_found', `${wanted} not found`);
  }
}
