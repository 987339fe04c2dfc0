import type { JsonObject } from '../../../base/json.ts';
import { itemAdded, itemDone, type ResponseEvent } from './response-items.ts';
import type { ToolProgress } from './steps.ts';

type OpenSearch = { readonly id: string; readonly index: number; readonly query: string };

/** What a search adds to a response: its item as it is now, and the events. */
export type SearchNews = { readonly item: JsonObject; readonly events: readonly ResponseEvent[] };

/** The searches of a response that have not ended: `web_search_call` items of the Responses API. */
export class SearchItems {
  readonly #open = new Map<string, OpenSearch>();

  /** Undefined: the call is not a search, or belongs to an earlier response. `index`: of the next item. */
  take({ call_id, phase, data }: ToolProgress, index: number): SearchNews | undefined {
    if (data['tool_type'] !== 'web_search') return undefined;
    if (phase === 'calling') return this.#begin(call_id, { ...queryOf(data), index });
    const open = this.#open.get(call_id);
    this.#open.delete(call_id);
    return open && ended(open, 'results_count' in data ? 'completed' : 'failed');
  }

  /** The response ends without their results. */
  close(): readonly SearchNews[] {
    const left = [...this.#open.values()];
    this.#open.clear();
    return left.map((open) => ended(open, 'failed'));
  }

  #begin(call: string, { index, query }: Omit<OpenSearch, 'id'>): SearchNews {
    const open = { id: `ws_${call}`, index, query };
    this.#open.set(call, open);
    const item = itemOf(open, 'in_progress');
    return { item, events: [itemAdded(open, item), ...stages(open, ['in_progress', 'searching'])] };
  }
}

function ended(open: OpenSearch, status: 'completed' | 'failed'): SearchNews {
  const item = itemOf(open, status);
  const events = status === 'completed' ? stages(open, ['completed']) : [];
  return { item, events: [...events, itemDone(open, item)] };
}

function queryOf({ query }: JsonObject): { readonly query: string } {
  return { query: typeof query === 'string' ? query : '' };
}

function itemOf({ id, query }: OpenSearch, status: string): JsonObject {
  return { id, type: 'web_search_call', status, action: { type: 'search', query } };
}

function stages({ id, index }: OpenSearch, names: readonly string[]): readonly ResponseEvent[] {
  return names.map((name) => ({
    type: `response.web_search_call.${name}`,
    item_id: id,
    output_index: index,
  }));
}
