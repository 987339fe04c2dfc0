import { isJsonObject, isPlainJson, type Json, type JsonObject } from '../../../../base/json.ts';
import { carryValuesMax } from '../limits.ts';

const texts = ['text', 'summary', 'data'] as const;

/** Collects the pieces of OpenRouter's `reasoning_details`, which it wants back whole and in order. */
export class ReasoningDetails {
  readonly #details: JsonObject[] = [];

  push(delta: object): void {
    const more: unknown = Reflect.get(delta, 'reasoning_details');
    if (!Array.isArray(more)) return;
    for (const detail of more) {
      if (isJsonObject(detail) && isPlainJson(detail, carryValuesMax)) this.#add(detail);
    }
  }

  /** Undefined: there were none. */
  get item(): Json | undefined {
    return this.#details.length === 0 ? undefined : { reasoning_details: [...this.#details] };
  }

  #add(detail: JsonObject): void {
    const last = this.#details.at(-1);
    if (last && last['type'] === detail['type'] && last['index'] === detail['index'])
      this.#details[this.#details.length - 1] = joined(last, detail);
    else this.#details.push(detail);
  }
}

function joined(one: JsonObject, two: JsonObject): JsonObject {
  const all: Record<string, Json> = { ...one };
  for (const [key, value] of Object.entries(two)) {
    if (value !== null) all[key] = value;
  }
  for (const key of texts) {
    const [before, after] = [one[key], two[key]];
    if (typeof before === 'string' && typeof after === 'string') all[key] = before + after;
  }
  return all;
}
