import { expect, test } from 'vitest';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { toConversationKey, toSeq } from '../../../../runtime/timeline/ids.ts';
import type { AcceptRequest, TimelineStore } from '../../../../runtime/timeline/ports/store.ts';
import { ask, openStage, Player, scope, signal } from '../stage.ts';

const data = Buffer.from('a,b\n1,2\n').toString('base64');
const attachments = [{ name: 'a.csv', mime: 'text/csv', data }];

/** A stage whose store does not take an event in before `ready` says so: what the gateway had read is old by then. */
async function openSlowStage(ready: (store: TimelineStore) => Promise<void>) {
  const store = openMemoryTimelineStore({ clock: systemClock });
  const slow: TimelineStore = new Proxy(store, {
    get: (target, name: keyof TimelineStore) =>
      name === 'accept'
        ? async (request: AcceptRequest) => {
            await ready(store);
            return await store.accept(request, { signal });
          }
        : bound(target, name),
  });
  const stage = await openStage({ store: slow });
  const pathsOf = async (conversation: string) => {
    const row = await store.find(scope, conversation, { signal });
    const blocks = await store.read(toConversationKey(row?.key ?? 0), {
      after: toSeq(0),
      limit: 100,
      signal,
    });
    return blocks.map(({ type, turn, path = '' }) => `${type} ${path.replace(turn, 'T')}`.trim());
  };
  return { ...stage, pathsOf };
}

function bound(target: TimelineStore, name: keyof TimelineStore): unknown {
  const member = target[name];
  return typeof member === 'function' ? member.bind(target) : member;
}

// proves: store.one-prompt-a-turn
test('of two concurrent prompts to an idle conversation one is the prompt, the other a followup', async () => {
  let waiting: (() => void)[] = [];
  const both = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < 2) return;
      for (const go of waiting) go();
      waiting = [];
    });
  await using stage = await openSlowStage(both);
  const say = (id: string) =>
    ask(stage.connect(), 'chat_message', {
      conversation_id: 'conv_race',
      message_id: id,
      text: id,
      attachments,
    });
  const acks = await Promise.all([say('m1'), say('m2')]);
  const queued = acks.find((ack) => ack.ok && ack.status === 'queued');
  const event = queued?.ok ? queued.event_id : '';
  expect(acks.map(({ status }) => status).sort()).toEqual(['queued', 'started']);
  expect(acks.flatMap((ack) => (ack.ok ? [ack.seq] : [])).sort()).toEqual([3, 5]);
  expect(await stage.pathsOf('conv_race')).toEqual([
    'turn.open',
    'user.prompt ar:T.user.prompt',
    'user.attachment fi:T.user.attachments/a.csv',
    `external.followup ar:T.external.followup.${event}`,
    `user.attachment fi:T.external.followup.attachments/${event}/a.csv`,
  ]);
});

test('a prompt that arrives while the turn closes is the prompt of the next turn', async () => {
  let close: (() => Promise<unknown>) | undefined;
  await using stage = await openSlowStage(async () => {
    await close?.();
  });
  const socket = stage.connect();
  const conversation_id = 'conv_late';
  await ask(socket, 'chat_message', { conversation_id, message_id: 'm1', text: 'first' });
  const player = await Player.take(stage.deps, conversation_id);
  close = () => player.close();
  const ack = await ask(socket, 'chat_message', {
    conversation_id,
    message_id: 'm2',
    text: 'late',
  });
  expect(ack).toMatchObject({ ok: true, status: 'started', seq: 5 });
  expect(await stage.pathsOf(conversation_id)).toEqual([
    'turn.open',
    'user.prompt ar:T.user.prompt',
    'turn.close',
    'turn.open',
    'user.prompt ar:T.user.prompt',
  ]);
});
