import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import { hookValueCharsMax, resultCharsMax } from '../../contract/limits.ts';
import type { HookPoint } from '../../contract/runtime-hooks.ts';
import { toJson, toReturned, toSentence, toViolations } from '../validate/zod-schema.ts';

const json: z.ZodType<Json> = z.json();
const violations = z.array(z.strictObject({ path: z.string(), message: z.string() }));

/** An event as hooks receive and return it. */
export const IncomingValue = z.strictObject({
  kind: z.string(),
  text: z.string().exactOptional(),
  payload: json.exactOptional(),
});
export const ResultValue = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), ret: json.default(null) }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      code: z.string().min(1),
      message: z.string(),
      retryable: z.boolean().default(false),
      violations: violations.exactOptional(),
    }),
    ret: json.exactOptional(),
  }),
]);
export const CompletionValue = z.strictObject({ text: z.string().trim().min(1) });
export const InputValue = z.record(z.string(), json);

/** The lines that ANNOUNCE shows in a round. */
export const HintsValue = z.object({ hints: z.array(z.string()) });

/** What a transformer may return. */
const shapes = {
  'transform.event': IncomingValue,
  'transform.reasoning': HintsValue,
  'transform.tool': InputValue,
  'transform.result': ResultValue,
  'transform.completion': CompletionValue,
};
export type TransformPoint = keyof typeof shapes;

export function isTransform(point: HookPoint): point is TransformPoint {
  return Object.hasOwn(shapes, point);
}

/** Parses the value that a transformer of this point returned. */
export function parseTransformed(
  point: TransformPoint,
  returned: unknown,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly because: string } {
  try {
    const value = toReturned(returned);
    const size = JSON.stringify(value).length;
    const most = point === 'transform.result' ? resultCharsMax : hookValueCharsMax;
    if (size > most)
      return { ok: false, because: `it returned ${size} characters; the limit is ${most}` };
    const shape: z.ZodType = shapes[point];
    const parsed = shape.safeParse(value);
    if (parsed.success) return { ok: true, value: toJson(parsed.data) };
    const because = toSentence(toViolations(parsed.error));
    return { ok: false, because: `the returned value does not fit: ${because}` };
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    return { ok: false, because: `the returned value is not valid JSON: ${because}` };
  }
}
