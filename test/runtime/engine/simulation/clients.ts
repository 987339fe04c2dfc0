import { toSeq, toTurnId, turnToChoose } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { AcceptRequest, AcceptResult } from '../../../../runtime/timeline/ports/store.ts';
import { scope, write } from './messages.ts';
import type { World } from './world.ts';

const pauseMsMax = 7_000;
const messagesMax = 8;
const { signal } = new AbortController();

export type Sent = {
  readonly message: string;
  readonly accepted: Pick<AcceptResult, 'status' | 'seq'>;
};

/** A user who writes, adds, steers, stops and sends twice, without waiting for anything. */
export async function chat(world: World, conversation: string): Promise<readonly Sent[]> {
  const { chance, clock } = world;
  const sent: Sent[] = [];
  const count = 1 + chance.below(messagesMax);
  for (let number = 0; number < count; number += 1) {
    const request = await nextRequest(world, conversation);
    const times = chance.happens(0.15) ? 2 : 1;
    for (let time = 0; time < times; time += 1) sent.push(await send(world, request));
    if (chance.happens(0.2)) await takeBack(world, request);
    await clock.sleep(chance.happens(0.3) ? 0 : chance.below(pauseMsMax), { signal });
  }
  return sent;
}

/** Soon, or possibly too late. */
async function takeBack(
  world: World,
  { conversation = '', message }: AcceptRequest,
): Promise<void> {
  const { chance, clock, store } = world;
  await clock.sleep(chance.happens(0.5) ? 0 : chance.below(pauseMsMax), { signal });
  const row = await store.find(scope, conversation, { signal });
  const blocks = row ? await store.read(row.key, { after: toSeq(0), limit: 100_000, signal }) : [];
  const event = blocks.find((block) => block.event === message);
  if (event?.path === undefined) return;
  const data = { event_id: message };
  await write(world, conversation, { type: 'external.recall', path: event.path, text: '', data });
}

async function nextRequest(world: World, conversation: string): Promise<AcceptRequest> {
  const { chance, ids, store } = world;
  const row = await store.find(scope, conversation, { signal });
  const kind = chance.one(['prompt', 'prompt', 'followup', 'steer', 'stop']);
  const type = typeOf(kind, row?.openTurn);
  const message = ids.next('msg');
  const path =
    type === 'user.prompt'
      ? paths.prompt(turnToChoose)
      : paths.external(turnToChoose, type.slice('external.'.length), message);
  const text = kind === 'stop' ? '' : `Say something about ${message}`;
  return {
    sender: { ...scope, user: 'ann' },
    conversation,
    newConversation: conversation,
    message,
    digest: message,
    events: [{ type, turn: turnToChoose, author: 'user', event: message, path, text, data: {} }],
    reactive: true,
    newTurn: toTurnId(ids.next('turn')),
    turnData: { bundle: 'test', agent: 'main', text },
    needsTurn: type === 'external.steer',
  };
}

/** As the gateway does it: a prompt into a running turn is a followup. */
function typeOf(kind: string, openTurn: string | undefined): string {
  if (kind === 'steer' || kind === 'stop') return 'external.steer';
  return kind === 'prompt' && openTurn === undefined ? 'user.prompt' : 'external.followup';
}

async function send({ store, bus }: World, request: AcceptRequest): Promise<Sent> {
  const accepted = await store.accept(request, { signal });
  if (accepted.key !== undefined) {
    const steer = request.events[0]?.type === 'external.steer';
    bus.announce(accepted.key, { head: accepted.seq, wake: true, steer });
  }
  return { message: request.message, accepted };
}
