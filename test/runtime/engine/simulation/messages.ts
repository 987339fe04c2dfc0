import type { Json } from '../../../../runtime/base/json.ts';
import { toTurnId, turnToChoose } from '../../../../runtime/timeline/ids.ts';
import type { BlockPath } from '../../../../runtime/timeline/paths.ts';
import type { World } from './world.ts';

export const scope = { tenant: 'dev', project: 'dev' };
const { signal } = new AbortController();

type Word = {
  readonly type: string;
  readonly path: BlockPath;
  readonly text?: string;
  readonly data: Json;
};

/** As the gateway writes it: an answer needs its turn, a recall wakes no worker. */
export async function write(world: World, conversation: string, word: Word) {
  const { ids, store, bus } = world;
  const reactive = word.type !== 'external.recall';
  const message = ids.next('msg');
  const accepted = await store.accept(
    {
      sender: { ...scope, user: 'ann' },
      conversation,
      newConversation: conversation,
      message,
      digest: message,
      events: [{ turn: turnToChoose, author: 'user', event: message, ...word }],
      reactive,
      newTurn: toTurnId(ids.next('turn')),
      turnData: {},
      needsTurn: reactive,
    },
    { signal },
  );
  if (accepted.key === undefined) return;
  bus.announce(accepted.key, { head: accepted.seq, wake: reactive });
}
