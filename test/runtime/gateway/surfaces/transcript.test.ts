import { expect, test } from 'vitest';
import { Transcript } from '../../../../runtime/gateway/surfaces/transcript.ts';
import { corpus } from '../projections/corpus.ts';

/** What the chat has shown, each version of each message. */
function shown(name: string): readonly string[] {
  const transcript = new Transcript();
  const texts: string[] = [];
  for (const envelope of corpus[name] ?? []) {
    transcript.take(envelope);
    for (const { text } of transcript.messages) if (!texts.includes(text)) texts.push(text);
  }
  return texts;
}

// proves: surface.compaction
test('a chat shows that the conversation was summarised, with its tokens before and after, and then the answer', () => {
  const texts = shown('a selection and a compaction');
  const done = texts.findIndex((text) =>
    /^_The conversation was summarised: \d+ → \d+ tokens\._$/.test(text),
  );
  expect(done).toBeGreaterThanOrEqual(0);
  expect(texts.slice(done + 1).length).toBeGreaterThan(0);
});
