import type { JsonObject } from '../../../base/json.ts';
import type { ClientCall, TextPart } from './steps.ts';

/** An event without its number. */
export type ResponseEvent = { readonly type: string } & JsonObject;

type ItemPlace = { readonly id: string; readonly index: number };
type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

type TextItem = {
  readonly id: string;
  readonly text: string;
  readonly status: ItemStatus;
  readonly annotations?: Annotations;
};
type Annotations = readonly JsonObject[];

export function textItem(
  part: TextPart,
  { id, text, status, annotations = [] }: TextItem,
): JsonObject {
  const isEmpty = status === 'in_progress';
  if (part === 'reasoning') {
    const summary = isEmpty ? [] : [{ type: 'summary_text', text }];
    return { id, type: 'reasoning', summary };
  }
  const content = isEmpty ? [] : [textPart(text, annotations)];
  return { id, type: 'message', role: 'assistant', status, content };
}

function textPart(text: string, annotations: Annotations = []): JsonObject {
  return { type: 'output_text', text, annotations: [...annotations], logprobs: [] };
}

export function itemAdded({ index }: ItemPlace, item: JsonObject): ResponseEvent {
  return { type: 'response.output_item.added', output_index: index, item };
}

export function itemDone({ index }: ItemPlace, item: JsonObject): ResponseEvent {
  return { type: 'response.output_item.done', output_index: index, item };
}

/** The events that open a text within its item. */
export function textAdded(part: TextPart, { id, index }: ItemPlace): ResponseEvent {
  const place = { item_id: id, output_index: index };
  return part === 'reasoning'
    ? {
        type: 'response.reasoning_summary_part.added',
        ...{ ...place, summary_index: 0, part: { type: 'summary_text', text: '' } },
      }
    : { type: 'response.content_part.added', ...place, content_index: 0, part: textPart('') };
}

export function textDelta(part: TextPart, { id, index }: ItemPlace, delta: string): ResponseEvent {
  const place = { item_id: id, output_index: index };
  return part === 'reasoning'
    ? { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta }
    : { type: 'response.output_text.delta', ...place, content_index: 0, delta, logprobs: [] };
}

export function textDone(
  part: TextPart,
  { id, index }: ItemPlace,
  { text, annotations }: { readonly text: string; readonly annotations: Annotations },
): readonly ResponseEvent[] {
  const place = { item_id: id, output_index: index };
  if (part === 'reasoning') {
    const summary = { ...place, summary_index: 0 };
    return [
      { type: 'response.reasoning_summary_text.done', ...summary, text },
      {
        type: 'response.reasoning_summary_part.done',
        ...{ ...summary, part: { type: 'summary_text', text } },
      },
    ];
  }
  const content = { ...place, content_index: 0 };
  return [
    ...annotations.map((annotation, annotation_index) => ({
      ...{ type: 'response.output_text.annotation.added', ...content },
      ...{ annotation_index, annotation },
    })),
    { type: 'response.output_text.done', ...content, text, logprobs: [] },
    { type: 'response.content_part.done', ...content, part: textPart(text, annotations) },
  ];
}

export function callItem(
  { id, name, arguments: input }: ClientCall,
  status: ItemStatus,
): JsonObject {
  const written = status === 'in_progress' ? '' : input;
  return { id: `fc_${id}`, type: 'function_call', status, call_id: id, name, arguments: written };
}

export function callEvents(call: ClientCall, index: number): readonly ResponseEvent[] {
  const place = { id: `fc_${call.id}`, index };
  const at = { item_id: place.id, output_index: index };
  return [
    itemAdded(place, callItem(call, 'in_progress')),
    { type: 'response.function_call_arguments.delta', ...at, delta: call.arguments },
    {
      type: 'response.function_call_arguments.done',
      ...{ ...at, name: call.name, arguments: call.arguments },
    },
    itemDone(place, callItem(call, 'completed')),
  ];
}
