import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { duplicates } from './duplicates.ts';

/**
 * What the Responses API rejects in the input of a request that it does not store, by its documentation of function calls
 * and reasoning items. Empty: nothing.
 */
export function faultsInResponses(input: readonly ResponseInputItem[]): readonly string[] {
  const calls = input.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
  const outputs = input.flatMap((item) =>
    item.type === 'function_call_output' ? [item.call_id ?? ''] : [],
  );
  return [
    ...calls.filter((id) => !outputs.includes(id)).map((id) => `no output for ${id}`),
    ...duplicates(calls).map((id) => `call ${id} is there twice`),
    ...duplicates(outputs).map((id) => `two outputs for ${id}`),
    ...input.flatMap((item, index) =>
      faultsInItem(item, { before: input.slice(0, index), next: input[index + 1] }).map(
        (fault) => `item ${index}: ${fault}`,
      ),
    ),
  ];
}

type Around = {
  readonly before: readonly ResponseInputItem[];
  readonly next: ResponseInputItem | undefined;
};

function faultsInItem(item: ResponseInputItem, { before, next }: Around): readonly string[] {
  switch (item.type) {
    case 'reasoning':
      return [
        ...(item.encrypted_content ? [] : ['reasoning that is not stored, without its content']),
        ...(isOfReply(next) ? [] : ['reasoning without the item that it led to']),
      ];
    case 'function_call':
      return /^[\w-]{1,64}$/.test(item.name) ? [] : [`name ${item.name}`];
    case 'function_call_output': {
      const isCalled = before.some(
        (each) => each.type === 'function_call' && each.call_id === item.call_id,
      );
      return isCalled ? [] : [`an output for ${item.call_id} before its call`];
    }
    default:
      return 'content' in item && item.content.length === 0 ? ['no content'] : [];
  }
}

function isOfReply(item: ResponseInputItem | undefined): boolean {
  if (item === undefined) return false;
  if (item.type === 'function_call' || item.type === 'reasoning') return true;
  return 'role' in item && item.role === 'assistant';
}
