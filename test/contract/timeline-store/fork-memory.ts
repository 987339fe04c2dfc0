import { expect, test } from 'vitest';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import {
  append,
  close,
  own,
  prompt,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';

const targets = ['user', 'assistant'] as const;

/** What is found again in a fork, and of it. */
export function forkMemoryContract(open: () => StoreUnderTest): void {
  const answered = async (
    { key, lease }: Pick<Awaited<ReturnType<typeof started>>, 'key' | 'lease'>,
    text: string,
  ) => {
    const answer: Draft = {
      ...thought(lease, text),
      type: 'assistant.completion',
      path: toBlockPath(`ar:${lease.row.openTurn ?? ''}.assistant.completion.1`),
    };
    const asOf = lease.row.head;
    await open().store.append(key, append(lease, { blocks: [answer], asOf }), { signal });
    await open().store.append(key, append(lease, { blocks: [close(lease)], asOf }), { signal });
    await open().store.release(key, { fence: lease.fence, signal });
  };
  /** A turn "hello" answered with "an apple", forked between prompt and answer, or after it; each goes on on its own. */
  const forked = async (at: number) => {
    const { store } = open();
    const first = await started(store);
    const { sender, conversation } = first;
    await answered(first, 'an apple');
    const names = { conversation, at: toSeq(at), newConversation: randomIds.next('conv') };
    const fork = await store.fork(sender, names, { signal });
    if (fork.status !== 'forked') throw new Error(fork.status);
    const { key, id, openTurn } = fork.row;
    if (openTurn !== undefined) {
      const lease = await own(store, key);
      await store.append(key, append(lease, { blocks: [close(lease)], asOf: toSeq(at) }), {
        signal,
      });
      await store.release(key, { fence: lease.fence, signal });
    }
    const say = async (of: string, text: string) => {
      const said = { conversation: of, events: [prompt(`${text}?`)] };
      const accepted = await store.accept(request(sender, said), { signal });
      const lease = await own(store, toConversationKey(accepted.key ?? 0));
      await answered({ key: toConversationKey(accepted.key ?? 0), lease }, text);
    };
    await say(conversation, 'a pear');
    await say(id, 'a plum');
    return { sender, parent: conversation, fork: id, key, parentKey: first.key };
  };
  const found = async (sender: Parameters<typeof request>[0], more: object) => {
    const query = { targets, limit: 20, ...more };
    const hits = await open().store.search(sender, query, { signal });
    return hits.map((hit) => `${hit.conversation} ${hit.ordinal}/${hit.turns} ${hit.text}`).sort();
  };

  // proves: fork.found
  test('a fork is searched with what it shares, and with nothing that was said elsewhere later', async () => {
    const { sender, parent, fork } = await forked(4);
    const shared = ['1/2 an apple', '1/2 hello'];
    const its = (id: string, ...texts: string[]) => texts.map((text) => `${id} ${text}`);
    const inFork = its(fork, ...shared, '2/2 a plum', '2/2 a plum?');
    const inParent = its(parent, ...shared, '2/2 a pear', '2/2 a pear?');
    expect(await found(sender, { conversation: fork })).toEqual(inFork);
    expect(await found(sender, { conversation: parent })).toEqual(inParent);
    const all = [...inParent, ...its(fork, '2/2 a plum', '2/2 a plum?')];
    expect(await found(sender, {})).toEqual(all.sort());
    const text = 'apple plum pear';
    expect(await found(sender, { conversation: fork, text })).toEqual(
      its(fork, '1/2 an apple', '2/2 a plum', '2/2 a plum?'),
    );
    expect(await found(sender, { text })).toHaveLength(5);
  });

  test('turns of a fork are counted on from the shared ones, and the turn it cut has what it had there', async () => {
    const { sender, parent, fork } = await forked(2);
    const pageOf = async (conversation: string) => {
      const query = { targets, order: 'asc', offset: 0, limit: 9, conversation } as const;
      const { total, rows } = await open().store.turns(sender, query, { signal });
      const said = rows.map(({ conversation: id, ordinal, turns, snippets }) => [
        `${id} ${ordinal}/${turns}`,
        ...snippets.map(({ text }) => text),
      ]);
      return { total, said };
    };
    expect(await pageOf(fork)).toEqual({
      total: 2,
      said: [
        [`${fork} 1/2`, 'hello'],
        [`${fork} 2/2`, 'a plum?', 'a plum'],
      ],
    });
    expect(await pageOf(parent)).toEqual({
      total: 2,
      said: [
        [`${parent} 1/2`, 'hello', 'an apple'],
        [`${parent} 2/2`, 'a pear?', 'a pear'],
      ],
    });
    const query = { targets, order: 'asc', offset: 0, limit: 9 } as const;
    expect((await open().store.turns(sender, query, { signal })).total).toBe(3);
  });

  test('what the shared part means is found in the fork, too', async () => {
    const { sender, fork, key, parentKey } = await forked(4);
    const space = randomIds.next('msg');
    const vectors = [
      { key: parentKey, seq: toSeq(3), id: 0, vector: [1, 0, 0, 0.1] },
      { key: parentKey, seq: toSeq(7), id: 0, vector: [1, 0, 0, 0.2] },
      { key, seq: toSeq(7), id: 0, vector: [1, 0, 0, 0.3] },
    ];
    // The process that computes vectors has claimed the work first.
    await open().store.unembedded(space, { limit: 1, ttlMs: 1_000, signal });
    await open().store.keepVectors(space, vectors, { signal });
    const near = { text: 'zzz', vector: { space, values: [1, 0, 0, 0] } };
    const its = await found(sender, { conversation: fork, ...near });
    expect(its).toEqual([`${fork} 1/2 an apple`, `${fork} 2/2 a plum`]);
    expect(await found(sender, near)).toHaveLength(3);
  });
}
