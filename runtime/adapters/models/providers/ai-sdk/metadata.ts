import { createHash } from 'node:crypto';
import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, isPlainJson, type Json, type JsonObject } from '../../../../base/json.ts';
import { carryValuesMax } from '../limits.ts';

/** What a provider wants back with the history: its reasoning, or what it attached to a call of the reply. */
export type Carried =
  | { readonly kind: 'reasoning'; readonly text: string; readonly options: SharedV4ProviderOptions }
  | CarriedCall;

export type CarriedCall = {
  readonly kind: 'call';
  /** Among all calls that the model wrote, also those that were not accepted. */
  readonly index: number;
  /** As the model wrote it. Absent in older logs. */
  readonly name?: string;
  /** Digest of the input. */
  readonly input?: string;
  readonly options: SharedV4ProviderOptions;
};

/** Equal for inputs with the same values, in whatever order. */
export function inputDigest(input: unknown): string {
  const text = JSON.stringify(sorted(input ?? null));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

export function toCarry({ options, ...rest }: Carried): JsonObject | undefined {
  const attached: unknown = options;
  return isPlainJson(attached, carryValuesMax) ? { ...rest, options: attached } : undefined;
}

export function readCarry(item: Json): Carried | undefined {
  if (!isJsonObject(item)) return undefined;
  const { kind, text, index, name, input, options } = item;
  if (!isJsonObject(options)) return undefined;
  const attached = Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      isJsonObject(value) ? [[name, { ...value }]] : [],
    ),
  );
  if (kind === 'reasoning') return { kind, text: String(text), options: attached };
  if (kind !== 'call') return undefined;
  const named = typeof name === 'string' && typeof input === 'string' ? { name, input } : {};
  return { kind, index: Number(index), ...named, options: attached };
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
