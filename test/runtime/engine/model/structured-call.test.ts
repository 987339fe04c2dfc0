import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../../runtime/base/json.ts';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import { structuredCall } from '../../../../runtime/engine/model/structured-call.ts';
import type { ModelAbilities } from '../../../../runtime/engine/ports/model.ts';
import { toOutputSchema } from '../../../../runtime/sdk/compile/validate/zod-schema.ts';
import { answerWire, type WireAnswer } from '../kit/answer-wire.ts';

const { signal } = new AbortController();
const output = toOutputSchema(z.object({ n: z.number() }));
const all: ModelAbilities = { tools: true, forcedChoice: true, json: true };
const json: ModelAbilities = { tools: false, forcedChoice: false, json: true };
const none: ModelAbilities = { tools: false, forcedChoice: false, json: false };
const request = { role: 'selection', prompt: 'How many?', output } as const;
const right: WireAnswer = { kind: 'json', json: '{"n":7}' };
const wrong: WireAnswer = { kind: 'json', json: '{"n":"7"}' };
const words: WireAnswer = { kind: 'text', text: 'seven' };
const refused: WireAnswer = { kind: 'fault', code: 'MODEL_REFUSED' };

describe('the levels of a structured call', () => {
  // proves: models.structured
  test('a model with tools is made to call one tool, whose input is the answer', async () => {
    const wire = answerWire([right], all);
    expect(await structuredCall(wire, request, { signal })).toMatchObject({
      value: { n: 7 },
      level: 'native',
      calls: 1,
    });
    expect(wire.requests[0]?.offer).toMatchObject({
      tools: [{ name: 'answer', schema: output.schema }],
      choice: { tool: 'answer' },
    });
  });

  test('a model without forced choice is asked for a JSON reply', async () => {
    const wire = answerWire([right], { ...all, forcedChoice: false });
    expect(await structuredCall(wire, request, { signal })).toMatchObject({ level: 'json' });
    expect(wire.requests[0]).toMatchObject({ format: 'json' });
    expect(wire.requests[0]?.offer).toBeUndefined();
  });

  test.each([
    ['with tools and JSON', all, ['native', 'json', 'json', 'plain', 'plain']],
    ['with JSON alone', json, ['json', 'json', 'plain', 'plain']],
    ['with neither', none, ['plain', 'plain']],
    ['whose abilities nobody knows', undefined, ['plain', 'plain']],
  ] as const)('a model %s has its ceiling of requests', async (_, abilities, levels) => {
    const wire = answerWire([wrong], abilities);
    await expect(structuredCall(wire, request, { signal })).rejects.toThrow(/OUTPUT_INVALID/);
    expect(wire.requests.map(levelOf)).toEqual(levels);
  });

  test('a provider that refuses a level is asked at the next one', async () => {
    const wire = answerWire([refused, refused, words, right], all);
    expect(await structuredCall(wire, request, { signal })).toMatchObject({
      level: 'plain',
      calls: 4,
    });
  });

  // proves: models.structured
  test('a text is taken as it is written at the last level, and refused if it is empty', async () => {
    const summary = toOutputSchema(z.string().min(1));
    const asText = { ...request, output: summary, isText: true } as const;
    const wire = answerWire([words], none);
    expect(await structuredCall(wire, asText, { signal })).toMatchObject({
      ...{ value: 'seven', level: 'plain', calls: 1 },
    });
    expect(wire.requests[0]?.parts.map(({ text }) => text)).toEqual(['How many?']);
    const silent = answerWire([{ kind: 'text', text: ' ' }], all);
    const fallback = { value: 'none' };
    const lost = await structuredCall(silent, { ...asText, fallback }, { signal });
    expect(lost).toMatchObject({ level: 'fallback', value: 'none' });
    expect(silent.requests.map(levelOf)).toEqual(['native', 'json', 'json', 'plain']);
  });

  test('a retry shows the model its answer and why it did not fit', async () => {
    const wire = answerWire([wrong, right], json);
    await structuredCall(wire, request, { signal });
    const [part] = wire.requests[1]?.parts ?? [];
    expect(part?.text).toMatch(/How many\?[\s\S]*did not fit: n: [\s\S]*\{"n":"7"\}/);
  });

  test('an answer that is not an object is wrapped where the provider only knows objects', async () => {
    const list = toOutputSchema(z.array(z.string()));
    const wire = answerWire([{ kind: 'json', json: '{"value":["a"]}' }], all);
    const answer = await structuredCall(wire, { ...request, output: list }, { signal });
    expect(answer).toMatchObject({ value: ['a'], level: 'native' });
    expect(wire.requests[0]?.offer?.tools[0]?.schema).toMatchObject({
      type: 'object',
      required: ['value'],
    });
  });
});

describe('the last resorts of a structured call', () => {
  test('a pattern recovers the answer from plain text alone', async () => {
    const recover = (text: string): Json | undefined => {
      const [, found] = /(\d+)/.exec(text) ?? [];
      return found === undefined ? undefined : { n: Number(found) };
    };
    const text: WireAnswer = { kind: 'text', text: 'I counted 7 of them' };
    const wire = answerWire([text], json);
    const answer = await structuredCall(wire, { ...request, recover }, { signal });
    expect(answer).toMatchObject({ value: { n: 7 }, level: 'plain', calls: 3 });
  });

  test.each([
    ['no answer is usable', wrong, 2],
    ['the model cannot be reached', { kind: 'fault', code: 'MODEL_UNREACHABLE' } as const, 1],
  ])('the fallback is taken if %s', async (_, each, calls) => {
    const wire = answerWire([each], none);
    const fallback = { value: { n: 0 } };
    const answer = await structuredCall(wire, { ...request, fallback }, { signal });
    expect(answer).toMatchObject({ value: { n: 0 }, raw: undefined, level: 'fallback', calls });
    expect(answer.because).toBeTruthy();
  });

  test('an abort and a spent budget are never answered with the fallback', async () => {
    const fallback = { value: { n: 0 } };
    const spent = new Refusal('budget_exhausted', 'nothing is left');
    const budget = {
      isSpent: true,
      leftMs: 1,
      reserve: () => Promise.reject(spent),
      charge: () => Promise.resolve(),
    };
    const call = structuredCall(answerWire([right]), { ...request, fallback }, { signal, budget });
    await expect(call).rejects.toBe(spent);
  });
});

const wireAnswer: fc.Arbitrary<WireAnswer> = fc.oneof(
  fc.constant(right),
  fc.constant(wrong),
  fc.constant(words),
  fc.constant(refused),
  fc.constant<WireAnswer>({ kind: 'text', text: '{"n":', finish: 'length' }),
  fc.constant<WireAnswer>({ kind: 'text', text: 'Sure! ```json\n{"n":7}\n```' }),
  fc.constant<WireAnswer>({ kind: 'text', text: '' }),
);
const abilities = fc.record({
  tools: fc.boolean(),
  forcedChoice: fc.boolean(),
  json: fc.boolean(),
});

// proves: models.structured
test('whatever a wire does: the ceiling holds, the level is the one that worked, every request is paid', async () => {
  const answers = fc.array(wireAnswer, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(abilities, answers, async (able, each) => {
      const wire = answerWire(each, able);
      const charged: JsonObject[] = [];
      const budget = {
        isSpent: false,
        leftMs: 1,
        reserve: () => Promise.resolve({ [Symbol.dispose]: () => undefined }),
        charge: (data: JsonObject) => Promise.resolve(void charged.push(data)),
      };
      const fallback = { value: { n: 0 } };
      const answer = await structuredCall(wire, { ...request, fallback }, { signal, budget });
      const levels = wire.requests.map(levelOf);
      const native = able.tools && able.forcedChoice ? 1 : 0;
      expect(levels.length).toBeLessThanOrEqual(native + (able.json ? 2 : 0) + 2);
      expect(levels).toEqual(levels.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
      expect(answer.calls).toBe(levels.length);
      if (answer.level === 'fallback') expect(answer.value).toEqual({ n: 0 });
      else {
        expect(answer.value).toEqual({ n: 7 });
        expect(answer.level).toBe(levels.at(-1));
      }
      const received = levels.length - each.slice(0, levels.length).filter(isFault).length;
      const repeated = Math.max(0, levels.length - each.length);
      const last = each.at(-1);
      const unpaid = last && isFault(last) ? repeated : 0;
      expect(charged).toHaveLength(received - unpaid);
      expect(answer.usage.inputTokens).toBe(10 * charged.length);
      expect(answer.costUsd).toBeCloseTo(0.013 * charged.length);
      expect(charged.map(({ level }) => level)).toEqual(
        levels.filter((_, index) => !isFault(each[Math.min(index, each.length - 1)] ?? right)),
      );
    }),
  );
});

const order = ['native', 'json', 'plain'];

function levelOf({ offer, format }: { offer?: unknown; format?: unknown }): string {
  if (offer) return 'native';
  return format === 'json' ? 'json' : 'plain';
}

function isFault({ kind }: WireAnswer): boolean {
  return kind === 'fault';
}
