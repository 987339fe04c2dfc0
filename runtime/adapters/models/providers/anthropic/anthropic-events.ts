import type {
  ContentBlock,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawContentBlockDeltaEvent,
  RawMessageStreamEvent,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import { Fault } from '../../../../base/fault.ts';
import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';
import type { ModelEvent } from '../../../../engine/ports/model.ts';
import { CallAssembler } from '../calls/call-assembler.ts';

type DoneEvent = Extract<ModelEvent, { kind: 'done' }>;

export async function* fromMessagesStream(
  events: AsyncIterable<RawMessageStreamEvent>,
  { model, tools }: { readonly model: string; readonly tools: readonly string[] },
): AsyncGenerator<ModelEvent> {
  let done: DoneEvent = { kind: 'done', finish: 'unknown', usage: toUsage(), model };
  let begun = false;
  const blocks = new MessageBlocks(tools);
  for await (const event of events) {
    done = follow(done, event);
    if (event.type === 'message_start')
      yield { kind: 'begun', usage: done.usage, model: done.model };
    for (const piece of blocks.take(event)) {
      begun = true;
      yield piece;
    }
  }
  if (!begun && done.finish === 'unknown') {
    throw new Fault('MODEL_UNREACHABLE', { because: 'the stream ended before its first event' });
  }
  yield* blocks.finish(done.finish === 'stop');
  yield done;
}

/** Pieces of the blocks of a message. Blocks follow each other; they never interleave. */
class MessageBlocks {
  readonly #calls: CallAssembler;
  #block: ContentBlock | undefined;
  #thinking = '';
  #signature = '';

  constructor(tools: readonly string[]) {
    this.#calls = new CallAssembler(tools);
  }

  take(event: RawMessageStreamEvent): readonly ReplyPiece[] {
    switch (event.type) {
      case 'content_block_start':
        // The provider ends a call that has no arguments like one that was cut off. A further block tells.
        return [
          ...this.#calls.finish('complete'),
          ...this.#start(event.index, event.content_block),
        ];
      case 'content_block_delta':
        return this.#delta(event);
      case 'content_block_stop':
        return this.#stop(event.index);
      default:
        return [];
    }
  }

  finish(complete: boolean): readonly ReplyPiece[] {
    return this.#calls.finish(complete ? 'complete' : 'cut');
  }

  #start(index: number, block: ContentBlock): readonly ReplyPiece[] {
    this.#block = block;
    this.#thinking = block.type === 'thinking' ? block.thinking : '';
    this.#signature = block.type === 'thinking' ? block.signature : '';
    if (block.type === 'tool_use') {
      return this.#calls.push({ index, id: block.id, name: block.name });
    }
    if (block.type === 'redacted_thinking') return [carry({ type: block.type, data: block.data })];
    return block.type === 'text' ? textPiece(block.text) : [];
  }

  #delta({ index, delta }: RawContentBlockDeltaEvent): readonly ReplyPiece[] {
    this.#keepThinking(delta);
    switch (delta.type) {
      case 'text_delta':
        return textPiece(delta.text);
      case 'thinking_delta':
        return delta.thinking === '' ? [] : [{ kind: 'reasoning', text: delta.thinking }];
      case 'input_json_delta':
        return this.#block?.type === 'tool_use'
          ? this.#calls.push({ index, arguments: delta.partial_json })
          : [];
      default:
        return [];
    }
  }

  #keepThinking(delta: RawContentBlockDelta): void {
    if (delta.type === 'thinking_delta') this.#thinking += delta.thinking;
    if (delta.type === 'signature_delta') this.#signature += delta.signature;
  }

  #stop(index: number): readonly ReplyPiece[] {
    const block = this.#block;
    this.#block = undefined;
    if (block?.type === 'tool_use') return this.#calls.end(index, wholeInput(block.input));
    if (block?.type !== 'thinking' || this.#signature === '') return [];
    return [carry({ type: 'thinking', thinking: this.#thinking, signature: this.#signature })];
  }
}

/** Servers that do not stream arguments send them with the start of the block. */
function wholeInput(input: unknown): string {
  const isObject = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return isObject ? JSON.stringify(input) : '';
}

function textPiece(text: string): readonly ReplyPiece[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}

function carry(item: Extract<ReplyPiece, { kind: 'carry' }>['item']): ReplyPiece {
  return { kind: 'carry', provider: 'anthropic', item };
}

function follow(done: DoneEvent, event: RawMessageStreamEvent): DoneEvent {
  if (event.type === 'message_start') {
    return { ...done, model: event.message.model, usage: toUsage(event.message.usage) };
  }
  if (event.type !== 'message_delta') return done;
  const finish = finishes.get(event.delta.stop_reason) ?? 'unknown';
  return { ...done, finish, usage: toUsage(event.usage, done.usage) };
}

/** Counts are running totals; null means unchanged. */
function toUsage(
  said?: Usage | MessageDeltaUsage,
  before?: DoneEvent['usage'],
): DoneEvent['usage'] {
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
const finishes: ReadonlyMap<string | null, DoneEvent['finish']> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);
