import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import { Fault } from '../../../../base/fault.ts';
import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';
import type { ModelEvent, ModelUsage } from '../../../../engine/ports/model.ts';
import { CallAssembler } from '../calls/call-assembler.ts';
import { toModelFault } from '../model-faults.ts';

type DoneEvent = Extract<ModelEvent, { kind: 'done' }>;

export async function* fromResponsesStream(
  batches: AsyncIterable<readonly ResponseStreamEvent[]>,
  { model, tools }: { readonly model: string; readonly tools: readonly string[] },
): AsyncGenerator<ModelEvent> {
  let done: DoneEvent = { kind: 'done', finish: 'unknown', usage: toUsage(), model };
  let begun = false;
  const calls = new CallAssembler(tools);
  for await (const events of batches) {
    for (const event of events) {
      done = follow(done, event);
      for (const piece of toPieces(event, calls)) {
        begun = true;
        yield piece;
      }
    }
  }
  if (!begun && done.finish === 'unknown') {
    throw new Fault('MODEL_UNREACHABLE', { because: 'the stream ended before its first event' });
  }
  yield* calls.finish(done.finish === 'stop' ? 'complete' : 'cut');
  yield done;
}

function toPieces(event: ResponseStreamEvent, calls: CallAssembler): readonly ReplyPiece[] {
  switch (event.type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return event.delta === '' ? [] : [{ kind: 'text', text: event.delta }];
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return event.delta === '' ? [] : [{ kind: 'reasoning', text: event.delta }];
    case 'response.reasoning_summary_part.added':
      return event.summary_index > 0 ? [{ kind: 'reasoning', text: '\n\n' }] : [];
    case 'response.output_item.added':
      return begin(event.item, event.output_index, calls);
    case 'response.function_call_arguments.delta':
      return calls.push({ index: event.output_index, arguments: event.delta });
    case 'response.output_item.done':
      return end(event.item, event.output_index, calls);
    default:
      return [];
  }
}

/** Items follow each other, so a further one ends the call before it. */
function begin(
  item: ResponseOutputItem,
  index: number,
  calls: CallAssembler,
): readonly ReplyPiece[] {
  const ended = calls.finish('complete');
  if (item.type !== 'function_call') return ended;
  return [...ended, ...calls.push({ index, id: item.call_id, name: item.name })];
}

function end(item: ResponseOutputItem, index: number, calls: CallAssembler): readonly ReplyPiece[] {
  if (item.type === 'function_call') return calls.end(index, item.arguments);
  if (item.type !== 'reasoning' || !item.encrypted_content) return [];
  const { type, id, summary, encrypted_content } = item;
  const texts = summary.map(({ text }) => ({ type: 'summary_text', text }));
  return [
    { kind: 'carry', provider: 'openai', item: { type, id, summary: texts, encrypted_content } },
  ];
}

function follow(done: DoneEvent, event: ResponseStreamEvent): DoneEvent {
  switch (event.type) {
    case 'response.refusal.delta':
      return { ...done, finish: 'refusal' };
    case 'response.completed':
      return ended(done, event.response, 'stop');
    case 'response.incomplete':
      return ended(done, event.response, finishes.get(reasonOf(event.response)) ?? 'unknown');
    case 'response.failed':
      throw failure(event.response);
    default:
      return done;
  }
}

function ended(
  done: DoneEvent,
  { model, usage }: Response,
  finish: DoneEvent['finish'],
): DoneEvent {
  return {
    kind: 'done',
    finish: done.finish === 'refusal' ? 'refusal' : finish,
    usage: toUsage(usage),
    model: model || done.model,
  };
}

function reasonOf({ incomplete_details: details }: Response): string {
  return details?.reason ?? '';
}

const finishes: ReadonlyMap<string, DoneEvent['finish']> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'refusal'],
]);

function failure({ error }: Response): Fault {
  const message = error?.message ?? 'the response failed';
  return toModelFault(Object.assign(new Error(message), { type: error?.code ?? 'server_error' }));
}

function toUsage(said?: ResponseUsage): ModelUsage {
  const { cached_tokens: cacheReadTokens = 0, cache_write_tokens: cacheWriteTokens = 0 } =
    said?.input_tokens_details ?? {};
  return {
    inputTokens: Math.max(0, (said?.input_tokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: said?.output_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
}
