import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { Fault } from '../../../../base/fault.ts';
import { parseJson } from '../../../../base/json.ts';
import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';
import type { ModelEvent, ModelUsage } from '../../../../engine/ports/model.ts';
import { CallAssembler } from '../calls/call-assembler.ts';
import { attachedBy, type Carried, inputDigest, toCarry } from './metadata.ts';

type DoneEvent = Extract<ModelEvent, { kind: 'done' }>;
type Source = {
  readonly model: string;
  readonly provider: string;
  readonly tools: readonly string[];
};

export async function* fromSdkStream(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  { model, provider, tools }: Source,
): AsyncGenerator<ModelEvent> {
  let done: DoneEvent = { kind: 'done', finish: 'unknown', usage: toUsage(), model };
  let begun = false;
  const reply = new SdkReply(tools, provider);
  for await (const part of parts) {
    done = follow(done, part);
    for (const piece of reply.take(part)) {
      begun = true;
      yield piece;
    }
  }
  if (!begun && done.finish === 'unknown') {
    throw new Fault('MODEL_UNREACHABLE', { because: 'the stream ended before its first event' });
  }
  yield* reply.finish(done.finish === 'stop');
  yield done;
}

/** Pieces of one reply. The SDK names each part by its id. */
class SdkReply {
  readonly #calls: CallAssembler;
  readonly #provider: string;
  /** Calls by the SDK's id, in their order. */
  readonly #order: string[] = [];
  readonly #reasoning = new Map<string, string>();

  constructor(tools: readonly string[], provider: string) {
    this.#calls = new CallAssembler(tools);
    this.#provider = provider;
  }

  take(part: LanguageModelV4StreamPart): readonly ReplyPiece[] {
    switch (part.type) {
      case 'text-delta':
        return part.delta === '' ? [] : [{ kind: 'text', text: part.delta }];
      case 'reasoning-delta':
        return this.#reason(part.id, part.delta);
      case 'reasoning-end':
        return this.#carry(part.providerMetadata, {
          kind: 'reasoning',
          text: this.#reasoning.get(part.id) ?? '',
        });
      case 'tool-input-start':
        return part.providerExecuted ? [] : this.#begin(part.id, part.toolName);
      case 'tool-input-delta':
        // Of a call that the provider performs itself nothing has begun here.
        if (!this.#order.includes(part.id)) return [];
        return this.#calls.push({ index: this.#order.indexOf(part.id), arguments: part.delta });
      case 'tool-call':
        return part.providerExecuted ? [] : this.#call(part);
      default:
        return [];
    }
  }

  finish(complete: boolean): readonly ReplyPiece[] {
    return this.#calls.finish(complete ? 'complete' : 'cut');
  }

  #reason(id: string, text: string): readonly ReplyPiece[] {
    this.#reasoning.set(id, (this.#reasoning.get(id) ?? '') + text);
    return text === '' ? [] : [{ kind: 'reasoning', text }];
  }

  #begin(id: string, name: string): readonly ReplyPiece[] {
    this.#order.push(id);
    return this.#calls.push({ index: this.#order.length - 1, id, name });
  }

  /** The whole call. Some packages send nothing of it before. */
  #call({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall) {
    const begun = this.#order.includes(toolCallId) ? [] : this.#begin(toolCallId, toolName);
    const index = this.#order.indexOf(toolCallId);
    return [
      ...begun,
      ...this.#calls.end(index, input),
      ...this.#carry(providerMetadata, {
        ...{ kind: 'call', index, name: toolName },
        input: inputDigest(parseJson(input === '' ? '{}' : input)),
      }),
    ];
  }

  #carry(metadata: SharedV4ProviderMetadata | undefined, what: Unattached): readonly ReplyPiece[] {
    const options = attachedBy(metadata);
    const item = options && toCarry({ ...what, options });
    return item ? [{ kind: 'carry', provider: this.#provider, item }] : [];
  }
}

type Unattached = Carried extends infer Each
  ? Each extends Carried
    ? Omit<Each, 'options'>
    : never
  : never;

function follow(done: DoneEvent, part: LanguageModelV4StreamPart): DoneEvent {
  switch (part.type) {
    case 'response-metadata':
      return { ...done, model: part.modelId ?? done.model };
    case 'finish':
      return { ...done, finish: finishOf(part.finishReason), usage: toUsage(part.usage) };
    default:
      return done;
  }
}

function finishOf(reason: LanguageModelV4FinishReason): DoneEvent['finish'] {
  return finishes.get(reason.unified) ?? 'unknown';
}

const finishes: ReadonlyMap<LanguageModelV4FinishReason['unified'], DoneEvent['finish']> = new Map([
  ['stop', 'stop'],
  ['tool-calls', 'stop'],
  ['length', 'length'],
  ['content-filter', 'refusal'],
]);

function toUsage(said?: LanguageModelV4Usage): ModelUsage {
  const { total = 0, noCache, cacheRead = 0, cacheWrite = 0 } = said?.inputTokens ?? {};
  return {
    inputTokens: noCache ?? Math.max(0, total - cacheRead - cacheWrite),
    outputTokens: said?.outputTokens.total ?? 0,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
}
