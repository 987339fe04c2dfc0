import { Anthropic } from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageDeltaUsage,
  RawMessageStreamEvent,
  TextBlockParam,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import { Fault } from '../../../base/fault.ts';
import type { Model, ModelEvent, ModelRequest, PromptPart } from '../../../engine/ports/model.ts';
import { costOf, knownModel } from './known-models.ts';
import { cacheMarksMax, modelFirstByteMsMax, modelRetriesMax } from './limits.ts';
import type { RequestExtras } from './model-settings.ts';
import { withFaults, withRetries } from './retries.ts';

export type AnthropicOptions = {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly extras?: RequestExtras;
  readonly retriesMax?: number;
};

type Done = Extract<ModelEvent, { kind: 'done' }>;

/** The Messages API. Its current models choose their own sampling and reject a temperature, so none is sent. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const { model, apiKey, baseUrl, extras, retriesMax = modelRetriesMax } = options;
  const known = knownModel('anthropic', model);
  const client = new Anthropic({
    apiKey,
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    maxRetries: 0,
    timeout: modelFirstByteMsMax,
    logLevel: 'off',
  });
  return {
    id: `anthropic:${model}`,
    contextTokens: known.contextTokens,
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const body = { ...toBody(model, request), ...extras?.body };
      const { headers } = extras ?? {};
      const open = () => client.messages.create(body, { signal, headers });
      return withRetries(() => toEvents(withFaults(open, signal), model), { signal, retriesMax });
    },
  };
}

function toBody(model: string, request: ModelRequest): MessageCreateParamsStreaming {
  const { system, parts, maxOutputTokens } = request;
  return {
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    ...(system !== '' && { system: [{ type: 'text', text: system, ...cachedLong }] }),
    messages: [{ role: 'user', content: toContent(parts) }],
  };
}

const cached = { cache_control: { type: 'ephemeral' } } as const;
/** Long-lived cache entry for the system text, which all conversations of an agent share. Long entries must come first. */
const cachedLong = { cache_control: { type: 'ephemeral', ttl: '1h' } } as const;

/** The provider accepts four cache marks, and one is on the system text. The last marks are worth most, so keep those. */
function toContent(parts: readonly PromptPart[]): ContentBlockParam[] {
  const marks = parts.filter((part) => part.checkpoint).slice(-cacheMarksMax);
  return parts
    .filter((part) => part.text.trim() !== '')
    .map((part) => ({ ...toBlock(part), ...(marks.includes(part) && cached) }));
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

function toBlock({ kind, text, mime }: PromptPart): ContentBlockParam {
  const image = imageTypes.find((type) => type === mime);
  if (kind === 'image' && image) {
    return { type: 'image', source: { type: 'base64', media_type: image, data: text } };
  }
  if (kind === 'document' && mime === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: mime, data: text } };
  }
  return kind === 'text' ? toText(text) : toText(`[${kind} of type ${mime}: not readable here]`);
}

function toText(text: string): TextBlockParam {
  return { type: 'text', text };
}

async function* toEvents(
  events: AsyncIterable<RawMessageStreamEvent>,
  model: string,
): AsyncGenerator<ModelEvent> {
  let done: Done = { kind: 'done', finish: 'unknown', usage: toUsage(), model };
  let begun = false;
  for await (const event of events) {
    done = follow(done, event);
    if (event.type === 'message_start')
      yield { kind: 'begun', usage: done.usage, model: done.model };
    const piece = toPiece(event);
    if (piece) yield piece;
    begun ||= piece !== undefined;
  }
  if (!begun && done.finish === 'unknown') {
    throw new Fault('MODEL_UNREACHABLE', { because: 'the stream ended before its first event' });
  }
  yield done;
}

function toPiece(event: RawMessageStreamEvent): ModelEvent | undefined {
  if (event.type !== 'content_block_delta') return undefined;
  const { delta } = event;
  if (delta.type === 'text_delta' && delta.text !== '') return { kind: 'text', text: delta.text };
  if (delta.type === 'thinking_delta' && delta.thinking !== '') {
    return { kind: 'reasoning', text: delta.thinking };
  }
  return undefined;
}

function follow(done: Done, event: RawMessageStreamEvent): Done {
  if (event.type === 'message_start') {
    return { ...done, model: event.message.model, usage: toUsage(event.message.usage) };
  }
  if (event.type !== 'message_delta') return done;
  const finish = finishes.get(event.delta.stop_reason) ?? 'unknown';
  return { ...done, finish, usage: toUsage(event.usage, done.usage) };
}

/** Counts are running totals; null means unchanged. */
function toUsage(said?: Usage | MessageDeltaUsage, before?: Done['usage']): Done['usage'] {
  const created = said && 'cache_creation' in said ? said.cache_creation : undefined;
  const long = created?.ephemeral_1h_input_tokens ?? before?.cacheLongWriteTokens;
  return {
    inputTokens: said?.input_tokens ?? before?.inputTokens ?? 0,
    outputTokens: said?.output_tokens ?? before?.outputTokens ?? 0,
    cacheReadTokens: said?.cache_read_input_tokens ?? before?.cacheReadTokens ?? 0,
    cacheWriteTokens: said?.cache_creation_input_tokens ?? before?.cacheWriteTokens ?? 0,
    ...(long === undefined ? {} : { cacheLongWriteTokens: long }),
  };
}

/** An unlisted reason is a new one of the provider; the engine gets `unknown`. */
const finishes: ReadonlyMap<string | null, Done['finish']> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);
