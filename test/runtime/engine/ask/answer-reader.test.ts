import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Publisher } from '../../../../runtime/engine/live/publisher.ts';
import type { Note } from '../../../../runtime/engine/ports/bus.ts';
import { createAnswerReader } from '../../../../runtime/engine/reply/answer-reader.ts';
import { toConversationKey, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';

function read(pieces: readonly string[], held = false) {
  const notes: Note[] = [];
  const bus = {
    publish: (_: number, more: readonly Note[]) => void notes.push(...more),
    subscribe: () => ({ [Symbol.dispose]: () => undefined }),
  };
  using publisher = new Publisher(bus, { key: toConversationKey(1), fence: 1, head: toSeq(0) });
  const place = { turn: toTurnId('turn_1'), round: 2 };
  const reader = createAnswerReader({ place, publisher, held, resolve: () => undefined });
  for (const piece of pieces) reader.push(piece);
  const reply = reader.end();
  const shown = (marker: string) =>
    notes
      .flatMap((note) =>
        note.kind === 'frame' && note.frame.kind === 'delta' && note.frame.marker === marker
          ? [note.frame.text]
          : [],
      )
      .join('');
  return { reply, answer: shown('answer'), thinking: shown('thinking') };
}

test.each([
  ['plain text', '\n It is **5**.\n', 'It is **5**.', ''],
  ['a scratchpad first', '<think>2 + 3</think>\n\nIt is 5.', 'It is 5.', '2 + 3'],
  ['a scratchpad without an end', '<thinking>2 + 3', '', '2 + 3'],
  ['a tag later on', 'Write <think> so.', 'Write <think> so.', ''],
  ['what only begins like a tag', '<thin', '<thin', ''],
  [
    'channel tags in an explanation',
    'Use <channel:code>…</channel:code>.',
    'Use <channel:code>…</channel:code>.',
    '',
  ],
])('a reply with %s', (...[, raw, answer, thinking]) => {
  const { reply } = read([raw]);
  expect(reply).toEqual({ raw, answer, thinking, shown: answer });
});

test('a held answer is not shown', () => {
  const { reply, answer } = read(['It is 5.'], true);
  expect(reply).toMatchObject({ answer: 'It is 5.', shown: '' });
  expect(answer).toBe('');
});

const text = fc
  .array(
    fc.constantFrom('<think>', '</think>', '<', 'think', '>', ' ', '\n', 'It is 5. ', '[[S:1]]'),
  )
  .map((parts) => parts.join(''));

// proves: answer.any-cut
test('any cut of a text gives the same answer, and clients see all of it', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 40 })), (raw, cuts) => {
      const at = [...new Set(cuts.filter((cut) => cut < raw.length))].toSorted((a, b) => a - b);
      const pieces = [...at, raw.length].map((end, index) => raw.slice(at[index - 1] ?? 0, end));
      const cut = read(pieces);
      const whole = read([raw]);
      expect(cut.reply).toEqual(whole.reply);
      expect(cut.answer).toBe(whole.answer);
      expect(cut.thinking.trim()).toBe(cut.reply.thinking);
    }),
  );
});
