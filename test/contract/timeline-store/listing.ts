import { expect, test } from 'vitest';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { ListQuery, OwnerFilter, Sender } from '../../../runtime/timeline/ports/store.ts';
import {
  append,
  followup,
  newSender,
  prompt,
  request,
  type StoreUnderTest,
  signal,
  started,
} from './kit.ts';

/** What a list of conversations finds, and which of them wait for a person. */
export function listingContract(open: () => StoreUnderTest): void {
  const ids = async (sender: Sender, query: Partial<ListQuery>) => {
    const rows = await open().store.list(sender, { limit: 9, ...query, signal });
    return rows.map(({ id }) => id);
  };
  const say = async (sender: Sender, text: string) => {
    const events = [prompt(text)];
    const { conversation } = await open().store.accept(request(sender, { events }), { signal });
    return conversation;
  };

  // proves: page.list-search
  test('a list is searched by beginnings of words of one message, only in messages of its user', async () => {
    const sender = newSender();
    const bread = await say(sender, 'a recipe for sourdough bread in Zürich');
    const tea = await say(sender, 'since when do people drink tea');
    await say(newSender('ben'), 'sourdough of somebody else');
    expect(await ids(sender, { text: 'sourd' })).toEqual([bread]);
    expect(await ids(sender, { text: 'bread ZURICH' })).toEqual([bread]);
    expect(await ids(sender, { text: 'bread tea' })).toEqual([]);
    expect(await ids(sender, { text: 'drink tea' })).toEqual([tea]);
    // Too short to be searched for in messages.
    expect(await ids(sender, { text: 'te' })).toEqual([]);
    for (const text of ["'", '\\', "o'clock: & | !", '((', ':*', '東京']) {
      expect(await ids(sender, { text })).toEqual([]);
    }
  });

  // proves: recall.unseen
  test('a message that was taken back is found in no list and gives no passage', async () => {
    const { store } = open();
    const { sender, conversation, key, turn } = await started(store);
    const accept = (...events: readonly Draft[]) =>
      store.accept(request(sender, { conversation, events }), { signal });
    const kept = followup('sourdough and salt', 'alert');
    const recalled = followup('sourdough and sugar');
    await accept(kept, recalled);
    const path = toBlockPath(`ar:${turn}.external.followup.m`);
    await accept({ ...recalled, type: 'external.recall', path, data: { event_id: 'm' } });
    expect(await ids(sender, { text: 'sourdough' })).toEqual([conversation]);
    expect(await ids(sender, { text: 'sugar' })).toEqual([]);
    const search = { limit: 9, filter: { text: 'sugar' }, signal };
    expect(await store.overview.conversations(sender, search)).toEqual([]);
    expect(await store.overview.passages([key], 'sugar', { signal })).toEqual([]);
    const passages = await store.overview.passages([key], 'sourdough', { signal });
    expect(passages).toMatchObject([{ text: 'sourdough and salt' }]);
  });

  // proves: workbench.search
  test('conversations are found by what was said in them, of one user or of all, with the newest passage', async () => {
    const { store } = open();
    const ann = newSender('ann');
    const { user: _, ...project } = ann;
    const say = async (user: string, ...texts: readonly string[]) => {
      const events = texts.map((text) => prompt(text));
      await store.accept(request({ ...ann, user }, { events }), { signal });
    };
    await say('ann', 'a recipe for sourdough bread in Zürich', 'does sourdough need salt');
    await say('bob', 'sourdough without bread');
    await store.accept(request(newSender('cleo'), { events: [prompt('sourdough')] }), { signal });
    const found = async (whose: OwnerFilter, text: string) => {
      const rows = await store.overview.conversations(whose, {
        ...{ limit: 10, filter: { text }, signal },
      });
      const keys = rows.map(({ key }) => key);
      const passages = await store.overview.passages(keys, text, { signal });
      return rows.map(({ user, key }) => [
        user,
        passages.find((passage) => passage.key === key)?.text,
      ]);
    };
    const rows = await found(project, 'SOURD');
    expect(rows.toSorted()).toEqual([
      ['ann', 'does sourdough need salt'],
      ['bob', 'sourdough without bread'],
    ]);
    expect(await found(ann, 'bread zurich')).toEqual([
      ['ann', 'a recipe for sourdough bread in Zürich'],
    ]);
    expect(await found(project, 'salt bread')).toEqual([]);
    expect(await found(project, 'bo')).toEqual([['bob', undefined]]);
    for (const text of ["'", '\\', "o'clock: & | !", '((', ':*', '東京'])
      expect(await found(project, text)).toEqual([]);
  });

  // proves: page.list-live
  test('a list says which conversations wait for a person, until the decision', async () => {
    const { store } = open();
    const sender = newSender();
    const { conversation, lease, turn, key } = await started(store, sender);
    await started(store, sender);
    const waiting = async () => ids(sender, { isWaiting: true });
    expect(await waiting()).toEqual([]);
    const remember = 'once';
    const data = { request: 'tc_a', title: 'Restart?', remember, deadline: '2030-01-01T00:00:00Z' };
    const path = toBlockPath(`ar:${turn}.approval.request.tc_a`);
    const asks = { type: 'approval.request', author: 'system', turn, path, data } as const;
    await store.append(key, append(lease, { blocks: [asks] }), { signal });
    expect(await waiting()).toEqual([conversation]);
    expect(await ids(sender, { isWaiting: false })).toHaveLength(1);
    const rows = await store.list(sender, { limit: 9, signal });
    expect(rows.map(({ waits }) => waits).toSorted()).toEqual([false, true]);
    const decides = {
      type: 'approval.decision',
      author: 'user',
      turn,
      path: toBlockPath(`ar:${turn}.approval.decision.tc_a`),
      data: { request: 'tc_a', allow: true },
    } as const;
    const events = [decides];
    await store.accept(request(sender, { conversation, events }), { signal });
    expect(await waiting()).toEqual([]);
  });
}
