import { expect, test } from 'vitest';
import { connect } from '../../../runtime/client/index.ts';
import { openStage } from '../gateway/stage.ts';

test('feedback on a turn is stored; on an unknown turn it is refused', async () => {
  await using stage = await openStage();
  await using client = connect({ url: stage.gateway.url });
  const conversation = client.conversation();
  const turn = await conversation.send('How many?');
  await conversation.feedback(turn.id, { reaction: 'not_ok', text: 'Forty-three.' });
  const given = (await conversation.blocks()).find(({ type }) => type === 'feedback');
  const data = { turn_id: turn.id, reaction: 'not_ok' };
  expect(given).toMatchObject({ text: 'Forty-three.', data });
  await conversation.feedback(turn.id, { reaction: null });
  const last = (await conversation.blocks()).findLast(({ type }) => type === 'feedback');
  expect(last).toMatchObject({ data: { reaction: null } });
  const strange = conversation.feedback('turn_none', { reaction: 'ok' });
  await expect(strange).rejects.toMatchObject({ code: 'not_found' });
});
