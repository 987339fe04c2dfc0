import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { Fault, isFault } from '../../../../base/fault.ts';
import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';
import type { ModelEvent, ModelUsage } from '../../../../engine/ports/model.ts';
import { CallAssembler } from '../calls/call-assembler.ts';
import { toModelFault } from '../model-faults.ts';
import type { Flavour } from './chat-messages.ts';
import { contentOf } from './delta-content.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ThinkTags } from './think-tags.ts';

type DoneEvent = Extract<ModelEvent, { kind: 'done' }>;

type Source = {
  readonly model: string;
  readonly flavour: Flavour;
  readonly tools: readonly string[];
};

export async function* fromChatStream(
  batches: AsyncIterable<readonly ChatCompletionChunk[]>,
  { model, flavour, tools }: Source,
): AsyncGenerator<ModelEvent> {
  let done: DoneEvent = { kind: 'done', finish: 'unknown', usage: toUsage(), model };
  let begun = false;
  const reply = new ChatReply(flavour, tools);
  try {
    for await (const chunks of batches) {
      for (const chunk of chunks) {
        done = follow(done, chunk);
        for (const piece of reply.take(chunk)) {
          begun = true;
          yield piece;
        }
      }
    }
  } catch (error) {
    const ended = afterError(error, done);
    done = ended.done;
    yield* ended.pieces;
  }
  if (!begun && done.finish === 'unknown') {
    throw new Fault('MODEL_UNREACHABLE', { because: 'the stream ended before its first event' });
  }
  yield* reply.finish(done.finish === 'stop');
  yield done;
}

/**
 * The rest of a reply that ended in an error, if the error leaves one. Some servers report one behind the end of a reply. Groq
 * refuses a reply whose call or JSON is invalid, and sends what the model wrote: read as text, it is corrected like any
 * reply that breaks the rules.
 */
function afterError(error: unknown, done: DoneEvent) {
  if (!isFault(error)) throw error;
  if (done.finish !== 'unknown') return { pieces: [], done };
  const body: unknown = Reflect.get(Object(error.cause), 'error');
  const text: unknown = Reflect.get(Object(body), 'failed_generation');
  if (typeof text !== 'string') throw error;
  const pieces: readonly ReplyPiece[] = text === '' ? [] : [{ kind: 'text', text }];
  return { pieces, done: { ...done, finish: 'stop' as const } };
}

/** Some servers send a chunk without choices, or a choice without delta. */
type Chunk = Partial<Omit<ChatCompletionChunk, 'choices'>> & {
  readonly choices?: readonly Partial<ChatCompletionChunk.Choice>[];
};

/** Pieces of one reply. */
class ChatReply {
  readonly #calls: CallAssembler;
  readonly #details = new ReasoningDetails();
  /** Undefined: the provider keeps reasoning out of the text. */
  readonly #tags: ThinkTags | undefined;

  constructor(flavour: Flavour, tools: readonly string[]) {
    this.#calls = new CallAssembler(tools);
    this.#tags = flavour === 'openai' ? undefined : new ThinkTags();
  }

  *take({ choices = [] }: Chunk): Generator<ReplyPiece> {
    const delta = choices[0]?.delta;
    if (!delta) return;
    this.#details.push(delta);
    const reasoning = reasoningOf(delta);
    if (reasoning) yield { kind: 'reasoning', text: reasoning };
    for (const part of contentOf(delta.content ?? delta.refusal)) {
      if (part.kind === 'text') yield* this.#text(part.text);
      else if (part.text !== '') yield part;
    }
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      yield* this.#calls.push({ index, id, name: called?.name, arguments: called?.arguments });
    }
  }

  *finish(complete: boolean): Generator<ReplyPiece> {
    yield* this.#tags?.end() ?? [];
    yield* this.#calls.finish(complete ? 'complete' : 'cut');
    const { item } = this.#details;
    if (item !== undefined) yield { kind: 'carry', provider: 'openai-compatible', item };
  }

  #text(text: string): readonly ReplyPiece[] {
    if (text === '') return [];
    return this.#tags?.push(text) ?? [{ kind: 'text', text }];
  }
}

/** Two fields in which compatible servers, but not the provider itself, return the model's reasoning. */
function reasoningOf(delta: object): string | undefined {
  const named = Object.entries(delta).find(
    ([key, value]) => /^reasoning(_content)?$/.test(key) && typeof value === 'string',
  );
  return named && String(named[1]);
}

function follow(done: DoneEvent, chunk: Chunk): DoneEvent {
  const { model, choices = [], usage } = chunk;
  if (choices.length === 0) throwIfError(chunk);
  const [choice] = choices;
  const reason = choice?.delta?.refusal ? 'content_filter' : choice?.finish_reason;
  const finish =
    reason && done.finish !== 'refusal' ? (finishes.get(reason) ?? 'unknown') : done.finish;
  return {
    ...done,
    model: model || done.model,
    usage: usage ? toUsage(usage) : done.usage,
    finish,
  };
}

/** Some servers send an error inside the stream as a chunk of its own form. */
function throwIfError(chunk: object): void {
  if (Reflect.get(chunk, 'object') !== 'error') return;
  const message = String(Reflect.get(chunk, 'message'));
  throw toModelFault(Object.assign(new Error(message), { type: 'server_error' }));
}

function toUsage(said?: CompletionUsage): ModelUsage {
  const cacheReadTokens = toTokens(said?.prompt_tokens_details?.cached_tokens);
  const cacheWriteTokens = toTokens(said?.prompt_tokens_details?.cache_write_tokens);
  const prompt = toTokens(said?.prompt_tokens);
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    outputTokens: toTokens(said?.completion_tokens),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** Servers send what they like: only a number of tokens is one. */
function toTokens(said: unknown): number {
  return Number.isSafeInteger(said) ? Math.max(0, Number(said)) : 0;
}

/** Compatible servers may use other reasons; the engine gets `unknown`. */
const finishes: ReadonlyMap<string, DoneEvent['finish']> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'stop'],
  ['function_call', 'stop'],
  ...(['tool_use', 'end_turn', 'eos', 'eos_token', 'stop_sequence'] as const).map(
    (reason) => [reason, 'stop'] as const,
  ),
  ['max_tokens', 'length'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
]);
