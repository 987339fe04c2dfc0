import { expect, test } from 'vitest';
import { answerInstruction } from '../../../../runtime/engine/agent/answer-instruction.ts';

// proves: answer.record
test('the answer instruction asks for Markdown in the language of the question, without a word about the work', () => {
  const text = answerInstruction({ instruction: 'Be warm.' });
  expect(text).toContain('Write only the answer, in Markdown.');
  expect(text).toContain("Write in the language of the user's question.");
  expect(text).toContain('Do not mention the record, the draft, tools, calls, steps or rounds');
  expect(text.endsWith('Be warm.')).toBe(true);
});
