import fc from 'fast-check';
import { expect } from 'vitest';
import type { z } from 'zod';
import { openStage, type Stage } from '../stage.ts';

const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', 'user', 'assistant', 'tool', 'text', 'file', 'prompt', 'steer', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constant('x'.repeat(40_000)),
);

type Change = {
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'wrap';
  readonly value: unknown;
};

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(200),
  how: fc.constantFrom('replace', 'remove', 'wrap'),
  value: leaf,
});

/** Bodies that are nearly valid, other JSON, and text that is not JSON. */
export function bodies(valid: readonly unknown[]): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.constantFrom(...valid), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([body, changes]) => JSON.stringify([changes.reduce(apply, body)]).slice(1, -1));
  const json = fc.jsonValue().map((value) => JSON.stringify(value));
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  return fc.oneof(
    { weight: 8, arbitrary: changed },
    { weight: 1, arbitrary: json },
    { weight: 1, arbitrary: text },
  );
}

/** Changes one place of a JSON value, counted in depth-first order. */
function apply(body: unknown, { at, how, value }: Change): unknown {
  const places: (readonly [parent: object, key: string])[] = [];
  const copy: unknown = structuredClone(body);
  const visit = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    for (const [key, inner] of Object.entries(one)) {
      places.push([one, key]);
      visit(inner);
    }
  };
  visit(copy);
  const [parent, key] = places[at % Math.max(1, places.length)] ?? [];
  if (parent === undefined || key === undefined) return value;
  if (how === 'remove') Reflect.deleteProperty(parent, key);
  else Reflect.set(parent, key, how === 'wrap' ? [Reflect.get(parent, key)] : value);
  return copy;
}

/** A server without a worker and without a limit of messages. */
export function openFuzzedStage(): Promise<Stage> {
  return openStage({ limits: { user: { perMinute: 1_000_000 } } });
}

/** The answer is a stream, or an error in the shape of the protocol; the server goes on. */
export async function expectTyped(
  response: Response,
  { error, sent }: { error: z.ZodType; sent: string },
): Promise<number> {
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  if (status === 200 && type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return status;
  }
  const body = await response.text();
  const isTyped = status >= 400 && status < 500 && error.safeParse(parse(body)).success;
  expect([sent, status, isTyped ? '' : body]).toEqual([sent, status, '']);
  return status;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
