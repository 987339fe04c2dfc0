import { expect, test } from 'vitest';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openDesk } from '../kit/harness.ts';

// proves: feedback.told-once
test('every round of the next turn is told what the user says of an answer, at the end of its prompt alone', async () => {
  const add = { call: { tool: 'math.add', input: { a: 2, b: 3 } } };
  await using desk = await openDesk([
    { answer: 'Oslo.' },
    add,
    { answer: '5.' },
    { answer: 'Yes.' },
  ]);
  const { turn = '' } = await desk.say('Where?');
  await desk.closed();
  await desk.idle();
  const data = { turn_id: turn, reaction: 'not_ok', origin: 'user' };
  const said = { type: 'feedback', path: paths.feedback(turn), text: 'It is\nBergen.', data };
  const { turn: none } = await desk.write(said, { reactive: false });
  expect(none).toBeUndefined();
  await desk.say('And 2 + 3?');
  await desk.closed(2);
  await desk.idle();
  await desk.say('Sure?');
  const blocks = await desk.closed(3);
  const line = `[FEEDBACK]\n- the user says not_ok of t1: It is Bergen.`;
  const prompts = desk.model.requests.map(({ text }) => text.split('ANNOUNCE - Round'));
  expect(prompts.map(([, tail]) => tail?.includes(line))).toEqual([false, true, true, false]);
  expect(prompts.map(([above]) => above).join('')).not.toContain('Bergen');
  expect(verify(blocks)).toEqual([]);
});
