import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { Fault } from '../../../../base/fault.ts';
import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';
import type { ModelEvent, ModelUsage } from '../../../../engine/ports/model.ts';
import { CallAssembler } from '../calls/call-assembler.ts';

type Done = Extract<ModelEvent, { kind: 'done' }>;

export async function* fromChatStream(
  chunks: AsyncIterable<ChatCompletionChunk>,
  { model, tools }: { readonly model: string; readonly tools: readonly string[] },
): AsyncGenerator<ModelEvent> {
  let done: Done = { kind: 'done', finish: 'unknown', usage: toUsage(), model };
  let begun = false;
  const calls = new CallAssembler(tools);
  for await (const chunk of chunks) {
    done = follow(done, chunk);
    for (const piece of toPieces(chunk, calls)) {
      begun = true;
      yield piece;
    }
  }
  if (!begun && done.finish === 'unknown') {
    throw new Fault('MODEL_UNREACHABLE', { because: 'the stream ended before its first event' });
  }
  yield* calls.finish(done.finish === 'stop' ? 'complete' : 'cut');
  yield done;
}

/** Some servers send a chunk without choices, or a choice without delta. */
type Chunk = Partial<Omit<ChatCompletionChunk, 'choices'>> & {
  readonly choices?: readonly Partial<ChatCompletionChunk.Choice>[];
};

function* toPieces({ choices = [] }: Chunk, calls: CallAssembler): Generator<ReplyPiece> {
  const delta = choices[0]?.delta;
  if (!delta) return;
  const reasoning = reasoningOf(delta);
  if (reasoning) yield { kind: 'reasoning', text: reasoning };
  const text = delta.content ?? delta.refusal;
  if (text) yield { kind: 'text', text };
  for (const { index, id, function: called } of delta.tool_calls ?? []) {
    yield* calls.push({ index, id, name: called?.name, arguments: called?.arguments });
  }
}

/** Two fields in which compatible servers, but not the provider itself, return the model's reasoning. */
function reasoningOf(delta: object): string | undefined {
  const named = Object.entries(delta).find(
    ([key, value]) => /^reasoning(_content)?$/.test(key) && typeof value === 'string',
  );
  return named && String(named[1]);
}

function follow(done: Done, { model, choices = [], usage }: Chunk): Done {
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

function toUsage(said?: CompletionUsage): ModelUsage {
  const cacheReadTokens = said?.prompt_tokens_details?.cached_tokens ?? 0;
  const cacheWriteTokens = said?.prompt_tokens_details?.cache_write_tokens ?? 0;
  const prompt = said?.prompt_tokens ?? 0;
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    outputTokens: said?.completion_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** Compatible servers may use other reasons; the engine gets `unknown`. */
const finishes: ReadonlyMap<string, Done['finish']> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'stop'],
  ['function_call', 'stop'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
]);
