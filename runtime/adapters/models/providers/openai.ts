import type {
  ChatCompletionChunk,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { Fault } from '../../../base/fault.ts';
import type {
  Model,
  ModelEvent,
  ModelRequest,
  ModelUsage,
  PromptPart,
} from '../../../engine/ports/model.ts';
import { costOf, knownModel } from './known-models.ts';
import { modelFirstByteMsMax, modelRetriesMax } from './limits.ts';
import type { RequestExtras } from './model-settings.ts';
import { openaiClient } from './openai-client.ts';
import { withFaults, withRetries } from './retries.ts';

export type OpenaiOptions = {
  readonly model: string;
  /** `openai-compatible`: another server with the same API, in its older form. */
  readonly flavour: 'openai' | 'openai-compatible';
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly extras?: RequestExtras;
  readonly retriesMax?: number;
};

type Done = Extract<ModelEvent, { kind: 'done' }>;

/** The chat completions API. The provider caches prefixes on its own, so cache marks are not sent. */
export function createOpenaiModel(options: OpenaiOptions): Model {
  const { model, flavour, apiKey, baseUrl, extras, retriesMax = modelRetriesMax } = options;
  const known = knownModel(flavour, model);
  const client = openaiClient({ apiKey, baseUrl, timeout: modelFirstByteMsMax });
  return {
    id: `${flavour}:${model}`,
    contextTokens: known.contextTokens,
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const body = { ...toBody(options, request), ...extras?.body };
      const { headers } = extras ?? {};
      const open = () => client.chat.completions.create(body, { signal, headers });
      return withRetries(() => toEvents(withFaults(open, signal), model), { signal, retriesMax });
    },
  };
}

function toBody(
  { model, flavour }: OpenaiOptions,
  request: ModelRequest,
): ChatCompletionCreateParamsStreaming {
  const { system, parts, maxOutputTokens, temperature } = request;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: parts.map((part) => toPart(part, flavour)) },
    ],
    // The provider's own models choose their sampling and reject a temperature; others need it, and the older parameter name.
    ...(flavour === 'openai'
      ? { max_completion_tokens: maxOutputTokens }
      : { max_tokens: maxOutputTokens, temperature }),
  };
}

function toPart(
  { kind, text, mime = '' }: PromptPart,
  flavour: OpenaiOptions['flavour'],
): ChatCompletionContentPart {
  switch (kind) {
    case 'text':
      return { type: 'text', text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${mime};base64,${text}` } };
    case 'document':
      // Most other servers reject the whole request, and the document would be in every later request, too.
      if (flavour !== 'openai') return { type: 'text', text: `(${mime}: not sent to this model)` };
      return {
        type: 'file',
        file: { filename: 'document.pdf', file_data: `data:${mime};base64,${text}` },
      };
  }
}

async function* toEvents(
  chunks: AsyncIterable<ChatCompletionChunk>,
  model: string,
): AsyncGenerator<ModelEvent> {
  let done: Done = { kind: 'done', finish: 'unknown', usage: toUsage(), model };
  let begun = false;
  for await (const chunk of chunks) {
    done = follow(done, chunk);
    for (const piece of toPieces(chunk)) {
      begun = true;
      yield piece;
    }
  }
  if (!begun && done.finish === 'unknown') {
    throw new Fault('MODEL_UNREACHABLE', { because: 'the stream ended before its first event' });
  }
  yield done;
}

function* toPieces({ choices }: ChatCompletionChunk): Generator<ModelEvent> {
  const delta = choices[0]?.delta;
  if (!delta) return;
  const reasoning = reasoningOf(delta);
  if (reasoning) yield { kind: 'reasoning', text: reasoning };
  const text = delta.content ?? delta.refusal;
  if (text) yield { kind: 'text', text };
}

/** Two fields in which compatible servers, but not the provider itself, return the model's reasoning. */
function reasoningOf(delta: object): string | undefined {
  const named = Object.entries(delta).find(
    ([key, value]) => /^reasoning(_content)?$/.test(key) && typeof value === 'string',
  );
  return named && String(named[1]);
}

function follow(done: Done, { model, choices, usage }: ChatCompletionChunk): Done {
  const [choice] = choices;
  const reason = choice?.delta.refusal ? 'content_filter' : choice?.finish_reason;
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
