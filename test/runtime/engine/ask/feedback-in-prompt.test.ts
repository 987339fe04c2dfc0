import { expect, test } from 'vitest';
import { noTurn } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

// proves: feedback.shown-once
test("every round of the next turn shows the user's feedback on an answer, only at the end of its prompt", async () => {
  const add = { call: { tool: 'math.add', input: { a: 2, b: 3 } } };
  await using harness = await openHarness([
    { answer: 'Oslo.' },
    add,
    { answer: '5.' },
    { answer: 'Yes.' },
  ]);
  const { turn = noTurn } = await harness.say('Where?');
  await harness.closed();
  await harness.idle();
  const data = { turn_id: turn, reaction: 'not_ok', origin: 'user' };
  const said = {
    type: 'feedback',
    path: paths.feedback(turn),
    text: 'It is\nBergen.',
    data,
  };
  const { turn: none } = await harness.write(said, { reactive: false });
  expect(none).toBeUndefined();
  await harness.say('And 2 + 3?');
  await harness.closed(2);
  await harness.idle();
  await harness.say('Sure?');
  const blocks = await harness.closed(3);
  const line = `[FEEDBACK]\n- the user says not_ok of t1: It is Bergen.`;
  const prompts = harness.model.requests.map(({ text }) => text.split('ANNOUNCE - Round'));
  expect(prompts.map(([, tail]) => tail?.includes(line))).toEqual([false, true, true, false]);
  expect(prompts.map(([above]) => above).join('')).not.toContain('Bergen');
  expect(verify(blocks)).toEqual([]);
});
