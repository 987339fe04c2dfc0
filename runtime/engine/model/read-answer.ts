import type { Json, JsonObject } from '../../base/json.ts';
import { findJson } from '../../channels/json/find-json.ts';
import type { OutputViolation } from '../../sdk/contract/agent-settings.ts';
import type { Awaitable } from '../../sdk/define/context.ts';
import { type Attempt, unwrap } from './answer-levels.ts';
import type { Answer } from './metered-call.ts';

/** The shape of an answer. `parse` may be asynchronous because the schema may live in another process. */
export type AnswerType<T> = {
  readonly schema: JsonObject;
  parse(value: Json): Awaitable<ParsedAnswer<T>>;
};

type ParsedAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly violations: readonly OutputViolation[] };

export type AnswerReading<T> =
  | { readonly ok: true; readonly value: T; readonly raw: Json }
  | { readonly ok: false; readonly because: string };

type Expected<T> = {
  readonly attempt: Attempt;
  readonly request: {
    readonly output: AnswerType<T>;
    readonly recover?: (text: string) => Json | undefined;
    readonly isText?: true;
  };
};

/** The first JSON value in an answer that parses; otherwise the reasons of the first one. */
export async function readAnswer<T>(
  { text, input, metered }: Answer,
  { attempt, request: { output, recover, isText } }: Expected<T>,
): Promise<AnswerReading<T>> {
  let because: string | undefined;
  const isPlain = attempt.level === 'plain';
  if (isText && metered?.finish !== 'stop') return { ok: false, because: 'it is not complete.' };
  const values =
    isText && isPlain ? [text] : valuesIn(input ?? text, isPlain ? recover : undefined);
  for (const json of values) {
    const raw = unwrap(json, attempt);
    const parsed = await output.parse(raw);
    if (parsed.ok) return { ok: true, value: parsed.value, raw };
    because ??= toText(parsed.violations);
  }
  const cut =
    metered?.finish === 'length' ? ' It was cut off at the output limit: be shorter.' : '';
  return { ok: false, because: `${because ?? 'it is not JSON.'}${cut}` };
}

function* valuesIn(
  text: string,
  recover: Expected<unknown>['request']['recover'],
): Generator<Json> {
  // A tool without any argument has no text.
  yield* text === '' ? [] : findJson(text);
  const recovered = recover?.(text);
  if (recovered !== undefined) yield recovered;
}

function toText(violations: readonly OutputViolation[]): string {
  return violations.map(({ path, message }) => `${path || 'it'}: ${message}`).join('; ');
}
