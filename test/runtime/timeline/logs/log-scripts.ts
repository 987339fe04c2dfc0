import fc from 'fast-check';
import type { CloseReason } from '../../../../runtime/timeline/block.ts';

/** What happens in a conversation, as data; `writeLog` makes the legal log of it. */
export type EventScript = {
  readonly kind: 'followup' | 'steer' | 'form';
  readonly text: string;
  readonly files: readonly FileScript[];
};
export type FileScript = { readonly mime: string; readonly text: string };
export type CallScript = {
  readonly tool: string;
  readonly input: Record<string, string | number>;
  readonly effects: 'none' | 'keyed' | 'unkeyed';
  readonly ok: boolean;
  readonly text: string;
  readonly program: boolean;
  readonly progress: boolean;
  readonly file: boolean;
  readonly source: boolean;
  readonly hide: boolean;
  readonly plan: boolean;
  /** Groups of tools that the call switches. */
  readonly switches: boolean;
};
export type AsideScript = {
  readonly kind: 'timeline_text' | 'react.note' | 'canvas' | 'react.notes' | 'react.code';
  readonly text: string;
};
export type RoundScript = {
  /** Accepted after the prompt was made and before the round was opened. */
  readonly early: readonly EventScript[];
  readonly thinking: string;
  readonly notes: string;
  /** What the reply says beside its decisions. */
  readonly asides: readonly AsideScript[];
  /** The provider gave reasoning that it wants back. */
  readonly carry: boolean;
  /** A steer came before the reply was complete. */
  readonly interrupted: boolean;
  readonly calls: readonly CallScript[];
  /** Accepted while the calls ran. */
  readonly during: readonly EventScript[];
  readonly violation: boolean;
  readonly unknown: boolean;
  /** Tools are chosen before the round. */
  readonly chosen: boolean;
  /** Its system text is new. */
  readonly remade: boolean;
  readonly answer: string | undefined;
};
export type TurnScript = {
  readonly prompt: string;
  readonly files: readonly FileScript[];
  readonly rounds: readonly RoundScript[];
  readonly reason: CloseReason;
  readonly feedback: boolean;
  /** Arrive after the turn and before the next one. */
  readonly between: readonly EventScript[];
};

const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '[TOOL RESULT tc_1] ok',
    'TURN turn_9',
    '[[S:1]] cited',
    'a\n\nb',
    'x'.repeat(3_000),
  ),
);
const file: fc.Arbitrary<FileScript> = fc.record({
  mime: fc.constantFrom('image/png', 'image/webp', 'text/csv', 'application/pdf'),
  text: words,
});
const event: fc.Arbitrary<EventScript> = fc.record({
  kind: fc.constantFrom('followup', 'steer', 'form'),
  text: words,
  files: fc.array(file, { maxLength: 2 }),
});
const call: fc.Arbitrary<CallScript> = fc.record({
  tool: fc.constantFrom('react.read', 'weather.query', 'exec_tools.execute_code_python'),
  input: fc.dictionary(fc.constantFrom('a', 'b', 'code'), fc.oneof(words, fc.integer()), {
    noNullPrototype: true,
  }),
  effects: fc.constantFrom('none', 'keyed', 'unkeyed'),
  ok: fc.boolean(),
  text: words,
  program: fc.boolean(),
  progress: fc.boolean(),
  file: fc.boolean(),
  source: fc.boolean(),
  hide: rarely(),
  plan: rarely(),
  switches: rarely(),
});
const aside: fc.Arbitrary<AsideScript> = fc.record({
  kind: fc.constantFrom('timeline_text', 'react.note', 'canvas', 'react.notes', 'react.code'),
  text: words,
});
const round: fc.Arbitrary<RoundScript> = fc.record({
  early: fc.array(event, { maxLength: 1 }),
  thinking: words,
  notes: words,
  asides: fc.array(aside, { maxLength: 2 }),
  carry: fc.boolean(),
  interrupted: rarely(),
  calls: fc.array(call, { maxLength: 3 }),
  during: fc.array(event, { maxLength: 2 }),
  violation: rarely(),
  unknown: rarely(),
  chosen: rarely(),
  remade: rarely(),
  answer: fc.option(words, { nil: undefined, freq: 3 }),
});
export const turnScript: fc.Arbitrary<TurnScript> = fc.record({
  prompt: words,
  files: fc.array(file, { maxLength: 2 }),
  rounds: fc.array(round, { minLength: 1, maxLength: 4 }),
  reason: fc.constantFrom('completed', 'completed', 'exhausted', 'interrupted', 'failed'),
  feedback: fc.boolean(),
  between: fc.array(
    event.map((each) => ({ ...each, kind: 'form' as const })),
    { maxLength: 2 },
  ),
});

function rarely(): fc.Arbitrary<boolean> {
  return fc.nat(7).map((n) => n === 0);
}
