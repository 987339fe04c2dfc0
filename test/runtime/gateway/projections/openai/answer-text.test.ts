import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerText } from '../../../../../runtime/gateway/projections/openai/answer-text.ts';
import type { Step } from '../../../../../runtime/gateway/projections/openai/steps.ts';

/** The text of each item as a client has it at the end, without withdrawn items. */
function shown(steps: readonly Step[]): readonly string[] {
  const items = new Map<string, string>();
  for (const step of steps) {
    if (step.kind === 'text') items.set(step.item, (items.get(step.item) ?? '') + step.text);
    if (step.kind === 'withdrawn') items.delete(step.item);
  }
  return [...items.values()];
}

function pieces(
  text: string,
  sizes: readonly number[],
): readonly { offset: number; text: string }[] {
  const parts: { offset: number; text: string }[] = [];
  let at = 0;
  for (const size of [...sizes, text.length]) {
    if (at >= text.length) break;
    parts.push({ offset: at, text: text.slice(at, at + size) });
    at += size;
  }
  return parts;
}

type Attempt = {
  readonly text: string;
  readonly sizes: readonly number[];
  readonly lost: readonly number[];
};

/** One stream, which is reset at its end. */
function stream(text: AnswerText, name: string, attempt: Attempt): readonly Step[] {
  const kept = pieces(attempt.text, attempt.sizes).filter((_, n) => !attempt.lost.includes(n));
  const steps = kept.flatMap((piece) => text.delta({ stream: name, ...piece }));
  text.reset(name);
  return steps;
}

// proves: openai.text
test('whatever is streamed, lost and started over, clients end with the text of the block', () => {
  const attempt = fc.record({
    text: fc.string({ maxLength: 20, unit: fc.constantFrom('a', 'b', ' ') }),
    sizes: fc.array(fc.integer({ min: 1, max: 5 })),
    /** Pieces that are lost. */
    lost: fc.array(fc.nat({ max: 6 }), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(attempt, { minLength: 1, maxLength: 4 }), (attempts) => {
      const text = new AnswerText('answer');
      const steps = attempts.flatMap((each, index) => stream(text, `s${index}`, each));
      const last = attempts.at(-1)?.text ?? '';
      const answers = shown([...steps, ...text.complete(`s${attempts.length - 1}`, last)]);
      expect(answers.length).toBeLessThanOrEqual(1);
      expect((answers[0] ?? '').trimEnd()).toBe(last.trimEnd());
    }),
  );
});

test('a stream that starts over with the same text goes on without a break', () => {
  const text = new AnswerText('answer');
  const steps = [...text.delta({ stream: 'a', offset: 0, text: 'Hello w' })];
  text.reset('a');
  steps.push(...text.delta({ stream: 'b', offset: 0, text: 'Hello ' }));
  steps.push(...text.delta({ stream: 'b', offset: 6, text: 'world' }));
  steps.push(...text.complete('b', 'Hello world'));
  expect(steps.map((step) => (step.kind === 'text' ? step.text : step.kind))).toEqual([
    ...['Hello w', 'orld', 'text_end'],
  ]);
});

test('a text that was never confirmed is withdrawn when its turn ends', () => {
  const text = new AnswerText('answer');
  const [begun] = text.delta({ stream: 'a', offset: 0, text: 'Hel' });
  expect(begun?.kind).toBe('text');
  text.reset('a');
  expect(text.close({ kept: true }).map(({ kind }) => kind)).toEqual(['withdrawn']);
});
