import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../base/json.ts';
import type { SpanKind, TraceSpan } from './trace-spans.ts';

type Source = { readonly conversation: string; readonly version: string };

/**
 * Spans in the JSON encoding of OTLP, for any collector (`POST /v1/traces`). Each turn is a trace. Ids depend only on the
 * conversation, so exporting twice gives the same spans. Names of attributes follow the conventions for generative AI.
 */
export function toOtlp(spans: readonly TraceSpan[], { conversation, version }: Source): JsonObject {
  const resource = { attributes: attributes({ 'service.name': 'timeloom' }) };
  const made = spans.map((span) => toSpan(span, conversation));
  const scope = { name: 'timeloom.timeline', version };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: made }] }] };
}

function toSpan(span: TraceSpan, conversation: string): JsonObject {
  const { id, parent, turn, kind, name, fromMs, toMs = fromMs, error, block } = span;
  const own = { 'gen_ai.conversation.id': conversation, 'timeloom.block': block };
  return {
    traceId: idOf([conversation, turn], 32),
    spanId: idOf([conversation, id], 16),
    ...(parent === undefined ? {} : { parentSpanId: idOf([conversation, parent], 16) }),
    name: kind === 'round' ? name : `${operations[kind] ?? kind} ${name}`,
    kind: kind === 'model' ? 3 : 1,
    startTimeUnixNano: nanoseconds(fromMs),
    endTimeUnixNano: nanoseconds(toMs),
    attributes: attributes({ ...own, ...factsOf(span) }),
    status: error === undefined ? {} : { code: 2, message: error },
  };
}

const operations: Readonly<Partial<Record<SpanKind, string>>> = {
  turn: 'invoke_agent',
  agent: 'invoke_agent',
  model: 'chat',
  tool: 'execute_tool',
  program: 'execute_tool',
  client: 'execute_tool',
};

const named: Readonly<Record<string, string>> = {
  input_tokens: 'gen_ai.usage.input_tokens',
  output_tokens: 'gen_ai.usage.output_tokens',
  cache_read_tokens: 'gen_ai.usage.cache_read.input_tokens',
  cache_write_tokens: 'gen_ai.usage.cache_creation.input_tokens',
  call: 'gen_ai.tool.call.id',
};

function factsOf({ kind, name, facts }: TraceSpan): JsonObject {
  const operation = operations[kind];
  const entries = Object.entries(facts).map(
    ([key, value]) => [named[key] ?? `timeloom.${key}`, value] as const,
  );
  return {
    ...(operation === undefined ? {} : { 'gen_ai.operation.name': operation }),
    ...(kind === 'model' ? { 'gen_ai.request.model': name } : {}),
    ...(operation === 'execute_tool' ? { 'gen_ai.tool.name': name } : {}),
    ...Object.fromEntries(entries),
  };
}

function attributes(values: JsonObject): JsonObject[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: Json): JsonObject {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { stringValue: String(value) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
}

/** Hexadecimal. */
function idOf(names: readonly string[], digits: number): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, digits);
}
