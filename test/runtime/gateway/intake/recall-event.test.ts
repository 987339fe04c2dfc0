import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask, listen, openStage, Player, type Stage, scope, signal } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
});

async function opened() {
  const socket = stage.connect();
  const heard = listen(socket);
  const file = { name: 'salary.csv', mime: 'text/csv', data: Buffer.from('a,b\n1,2\n') };
  const first = { message_id: 'm1', text: 'Look at the salaries', attachments: [file] };
  const start = await ask(socket, 'chat_message', first);
  if (!start.ok) throw new Error('refused');
  const { conversation_id } = start;
  const recall = (event_id: string, by = socket) =>
    ask(by, 'chat_recall', { conversation_id, event_id });
  return { socket, heard, conversation_id, recall };
}

const search = async (text: string) => {
  const found = await stage.deps.store.search(
    { ...scope, user: 'dev' },
    { text, targets: ['user', 'attachment'], limit: 10 },
    { signal },
  );
  return found.length;
};

// proves: recall.unseen
test('an event that no round has read is recalled with its files, and not found any more', async () => {
  const { heard, recall } = await opened();
  expect(await search('salaries')).toBeGreaterThan(0);
  expect(await search('salary.csv')).toBeGreaterThan(0);
  expect(await recall('m1')).toEqual({ ok: true, status: 'recalled' });
  expect(await recall('m1')).toEqual({ ok: true, status: 'recalled' });
  const { data } = await heard.until(({ type }) => type === 'event.recalled');
  expect(data).toMatchObject({ event_id: 'm1' });
  expect(await search('salaries')).toBe(0);
  expect(await search('salary.csv')).toBe(0);
});

// proves: recall.true
test('an event that a round has read stays, and the answer reports it', async () => {
  const { conversation_id, recall } = await opened();
  const player = await Player.take(stage.deps, conversation_id);
  await player.append({ type: 'round.open', author: 'system', data: { round: 1, as_of: 3 } });
  expect(await recall('m1')).toEqual({ ok: true, status: 'already_consumed' });
  expect(await search('salaries')).toBeGreaterThan(0);
});

test('an unknown event, and one of another user, cannot be recalled', async () => {
  const { recall } = await opened();
  expect(await recall('m9')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await recall('../m')).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
  const eve = stage.connect({ user: 'eve' });
  expect(await recall('m1', eve)).toMatchObject({ ok: false, error: { code: 'not_found' } });
});
