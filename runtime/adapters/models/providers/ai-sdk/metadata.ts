import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, isPlainJson, type Json, type JsonObject } from '../../../../base/json.ts';
import { carryValuesMax } from '../limits.ts';

/** What a provider wants back with the history: its reasoning, or what it attached to the nth call of the reply. */
export type Carried =
  | { readonly kind: 'reasoning'; readonly text: string; readonly options: SharedV4ProviderOptions }
  | { readonly kind: 'call'; readonly index: number; readonly options: SharedV4ProviderOptions };

export function toCarry({ options, ...rest }: Carried): JsonObject | undefined {
  const attached: unknown = options;
  return isPlainJson(attached, carryValuesMax) ? { ...rest, options: attached } : undefined;
}

export function readCarry(item: Json): Carried | undefined {
  if (!isJsonObject(item)) return undefined;
  const { kind, text, index, options } = item;
  if (!isJsonObject(options)) return undefined;
  const attached = Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      isJsonObject(value) ? [[name, { ...value }]] : [],
    ),
  );
  if (kind === 'reasoning') return { kind, text: String(text), options: attached };
  return kind === 'call' ? { kind, index: Number(index), options: attached } : undefined;
}

/** Undefined: the provider attached nothing. */
export function attachedBy(
  metadata: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderOptions | undefined {
  const entries = Object.entries(metadata ?? {}).filter(
    ([, value]) => Object.values(value).filter((each) => each !== undefined).length > 0,
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
