import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { finishOf } from './chat-chunks.ts';
import { type OpenAiError, turnError } from './openai-error.ts';
import { secondsOf, TurnReader } from './read-turn.ts';
import type { ClientCall, Step, TokenCount } from './steps.ts';
import { chatUsage, noTokens, tokensSince } from './token-count.ts';

export type ChatAnswer =
  | { readonly ok: true; readonly completion: JsonObject }
  | { readonly ok: false; readonly error: OpenAiError };

/** One chat completion that is not streamed: the answer of a turn, or the calls that its client performs. */
export class ChatAnswerReader {
  readonly #model: string;
  readonly #seenSeq: number;
  readonly #reader = new TurnReader();
  readonly #calls: ClientCall[] = [];
  #seen = noTokens;
  #answer = '';
  #item = '';
  #reasoning = '';

  constructor({ model, seenSeq = -1 }: { readonly model: string; readonly seenSeq?: number }) {
    this.#model = model;
    this.#seenSeq = seenSeq;
  }

  /** Undefined: not complete yet. */
  take(envelope: WireEnvelope): ChatAnswer | undefined {
    const steps = this.#reader.take(envelope);
    let answer: ChatAnswer | undefined;
    for (const step of steps) {
      if (envelope.seq > this.#seenSeq) answer = this.#step(step, envelope) ?? answer;
      else if (step.kind === 'client_call') this.#seen = step.tokens;
    }
    return answer;
  }

  #step(step: Step, envelope: WireEnvelope): ChatAnswer | undefined {
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
        if (step.failure) return { ok: false, error: turnError(step.failure) };
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
  ): ChatAnswer {
    const { turn_id, conversation_id, ts } = envelope;
    const { files, records } = this.#reader;
    const choice = { index: 0, message: this.#message(), logprobs: null, finish_reason: finish };
    const completion = {
      id: `chatcmpl-${turn_id}`,
      object: 'chat.completion',
      created: secondsOf(ts),
      model: this.#model,
      choices: [choice],
      usage: chatUsage(tokensSince(this.#seen, tokens)),
      session_id: conversation_id,
      ...(files.length > 0 ? { files: files.map((file) => ({ ...file })) } : {}),
      ...(records.length > 0 ? { agentic_tool_calls: records.map((each) => ({ ...each })) } : {}),
    };
    return { ok: true, completion };
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
      ...(this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
  }
}
