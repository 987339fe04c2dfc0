import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import type { Projection, SseFrame } from '../projection.ts';
import { chatAnnotations } from './answer-citations.ts';
import { finishOf } from './chat-chunks.ts';
import { turnError } from './openai-error.ts';
import { secondsOf, TurnReader } from './read-turn.ts';
import type { ClientCall, Step, TokenCount } from './steps.ts';
import { chatUsage, noTokens, tokensSince } from './token-count.ts';
import { filesAndCalls } from './tool-progress.ts';

/**
 * A turn as one chat completion: its answer, the calls that its client performs, or `{ error }`. The only frame is the last
 * one, and it is the whole body.
 */
export class ChatAnswer implements Projection {
  readonly #model: string;
  readonly #isJson: boolean;
  readonly #reader = new TurnReader();
  #calls: ClientCall[] = [];
  #seen = noTokens;
  #answer = '';
  #item = '';
  #reasoning = '';

  #isOver = false;

  /** `json`: the content is the structured output of the turn. */
  constructor({ model, json = false }: { readonly model: string; readonly json?: boolean }) {
    this.#model = model;
    this.#isJson = json;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    return this.#reader.take(envelope).flatMap((step) => {
      this.#isOver = false;
      const body = this.#bodyAfter(step, envelope);
      if (body === undefined) return [];
      this.#isOver = true;
      return [{ data: JSON.stringify(body) }];
    });
  }

  #bodyAfter(step: Step, envelope: WireEnvelope): JsonObject | undefined {
    switch (step.kind) {
      case 'text':
        if (step.part === 'reasoning') this.#reasoning += step.text;
        else this.#write(step.item, step.text);
        return undefined;
      case 'withdrawn':
        if (step.part === 'answer') this.#answer = '';
        return undefined;
      case 'client_call':
        this.#calls.push(step.call);
        return step.parked
          ? this.#complete('tool_calls', { tokens: step.tokens, envelope })
          : undefined;
      case 'end':
        if (step.failure) return { error: turnError(step.failure) };
        if (this.#isJson) this.#answer = JSON.stringify(step.output ?? null);
        return this.#complete(finishOf(step.reason), { tokens: step.tokens, envelope });
      default:
        return undefined;
    }
  }

  /** The last answer counts. */
  #write(item: string, text: string): void {
    this.#answer = item === this.#item ? this.#answer + text : text;
    this.#item = item;
  }

  #complete(
    finish: string,
    { tokens, envelope }: { readonly tokens: TokenCount; readonly envelope: WireEnvelope },
  ): JsonObject {
    const { turn_id, conversation_id, ts } = envelope;
    const choice = { index: 0, message: this.#message(), logprobs: null, finish_reason: finish };
    const completion = {
      id: `chatcmpl-${turn_id}`,
      object: 'chat.completion',
      created: secondsOf(ts),
      model: this.#model,
      choices: [choice],
      usage: chatUsage(tokensSince(this.#seen, tokens)),
      session_id: conversation_id,
      ...filesAndCalls(this.#reader),
    };
    this.#seen = tokens;
    this.#calls = [];
    this.#answer = '';
    this.#reasoning = '';
    return completion;
  }

  #message(): JsonObject {
    const calls = this.#calls.map(({ id, ...named }) => ({
      id,
      type: 'function',
      function: named,
    }));
    return {
      role: 'assistant',
      content: this.#answer === '' && calls.length > 0 ? null : this.#answer,
      refusal: null,
      ...chatAnnotations(this.#reader.citationsIn(this.#answer)),
      ...(this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
  }
}
