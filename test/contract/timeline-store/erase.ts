import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { type ConversationKey, toCallId, toSeq } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { Lease, Sender } from '../../../runtime/timeline/ports/store.ts';
import { runs } from '../../tools/runs.ts';
import {
  append,
  log,
  longMs,
  newSender,
  own,
  prompt,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';

const hashOf = (letter: string) => `sha256:${letter.repeat(64)}`;

/** How a conversation leaves, at once for its readers and then altogether. */
export function eraseContract(open: () => StoreUnderTest): void {
  const erase = (sender: Sender, conversation: string) =>
    open().store.erase(sender, conversation, { signal });
  const texts = async (key: ConversationKey) =>
    (await log(open().store, key)).map(({ text }) => text);
  const fork = async (sender: Sender, conversation: string, at: number) => {
    const newConversation = randomIds.next('conv');
    const asked = { conversation, at: toSeq(at), newConversation };
    const answer = await open().store.fork(sender, asked, { signal });
    if (answer.status !== 'forked') throw new Error(`the fork is ${answer.status}`);
    return answer.row;
  };
  /** Every step of the outbox for everything that is due in it. */
  const sweep = async () => {
    const { erasures } = open().store;
    const due = await erasures.claim({ limit: 1_000, ttlMs: longMs, signal });
    for (const each of due) {
      while (await erasures.remove(each, { signal }));
      await erasures.settle(each, { settleMs: 0, signal });
    }
    return due.map(({ key }) => key);
  };
  /** Those of the tenant that are loose, which are taken to be removed. */
  const loose = async ({ tenant }: Sender) => {
    const { erasures } = open().store;
    const blobs = await erasures.claimBlobs({ limit: 1_000, ttlMs: longMs, signal });
    for (const blob of blobs) await erasures.settleBlob(blob, { signal });
    return blobs.filter((blob) => blob.tenant === tenant).map(({ hash }) => hash);
  };
  const withBlob = (lease: Lease, hash: string): Draft => ({
    ...thought(lease, 'see'),
    blob: { hash, size: 1 },
  });
  const write = (key: ConversationKey, lease: Lease, blocks: readonly Draft[]) =>
    open().store.append(key, append(lease, { blocks }), { signal });

  // proves: erase.at-once
  test('it is gone at once for every reader, and the same answer comes again', async () => {
    const { store } = open();
    const { sender, conversation, key, turn } = await started(store);
    expect(await erase(sender, conversation)).toEqual({ status: 'erased', key });
    expect(await store.find(sender, conversation, { signal })).toBeUndefined();
    expect(await store.list(sender, { limit: 9, signal })).toEqual([]);
    expect(await log(store, key)).toEqual([]);
    const path = `ar:${turn}.user.prompt`;
    expect(await store.atPath(key, toBlockPath(path), { signal })).toBeUndefined();
    const range = { targets: ['user' as const], limit: 9 };
    expect(await store.search(sender, { ...range, text: 'hello' }, { signal })).toEqual([]);
    expect(await store.search(sender, range, { signal })).toEqual([]);
    const page = { ...range, order: 'asc' as const, offset: 0 };
    expect(await store.turns(sender, page, { signal })).toEqual({ total: 0, rows: [] });
    expect(await store.feedback(sender, { conversation, limit: 9 }, { signal })).toEqual([]);
    expect(await erase(sender, conversation)).toEqual({ status: 'erased', key });
  });

  test('only its own user erases it; of what never was there is nothing to erase', async () => {
    const { sender, conversation, key } = await started(open().store);
    const gone = { status: 'gone' };
    expect(await erase({ ...sender, user: 'bob' }, conversation)).toEqual(gone);
    expect(await erase({ ...sender, project: 'other' }, conversation)).toEqual(gone);
    expect(await erase(sender, 'conv_none')).toEqual(gone);
    expect(await texts(key)).toHaveLength(2);
  });

  // proves: erase.fence
  test('its owner has lost it: it writes, renews, journals and releases nothing', async () => {
    const { store } = open();
    const { sender, conversation, key, lease } = await started(store);
    await erase(sender, conversation);
    const { fence } = lease;
    expect(await write(key, lease, [thought(lease)])).toMatchObject({ status: 'gone' });
    expect(await store.renew(key, { fence, ttlMs: longMs, signal })).toBeUndefined();
    expect(await store.release(key, { fence, signal })).toEqual({ pending: false });
    expect(
      await store.journal(
        key,
        { fence, program: toCallId('tc_1'), begun: [], ended: [] },
        { signal },
      ),
    ).toBe(false);
    expect(await store.acquire(key, { worker: 'w', ttlMs: longMs, signal })).toBeUndefined();
    const leases = await store.sweep({ worker: 'w', limit: 1_000, ttlMs: longMs, signal });
    expect(leases.find(({ row }) => row.key === key)).toBeUndefined();
    await store.setTitle(key, 'late', { signal });
    expect(await store.find(sender, conversation, { signal })).toBeUndefined();
  });

  // proves: erase.tombstone
  test('nothing is said in it any more, nor is its name used again', async () => {
    const { store } = open();
    const sender = newSender();
    const first = request(sender, { conversation: randomIds.next('conv') });
    const { conversation } = await store.accept(first, { signal });
    await erase(sender, conversation);
    const gone = { status: 'gone', key: undefined, conversation };
    const say = (over: object) => store.accept({ ...request(sender), ...over }, { signal });
    for (const _ of ['before the outbox', 'after it']) {
      expect(await say({ conversation })).toMatchObject(gone);
      expect(await say({ ...first })).toMatchObject(gone);
      expect(await say({ ...first, digest: 'other' })).toMatchObject(gone);
      const asked = { conversation, at: toSeq(1), newConversation: randomIds.next('conv') };
      expect(await store.fork(sender, asked, { signal })).toEqual({ status: 'gone' });
      await sweep();
    }
    const living = await started(store, sender);
    const taken = {
      conversation: living.conversation,
      at: toSeq(1),
      newConversation: conversation,
    };
    expect(await store.fork(sender, taken, { signal })).toEqual({ status: 'taken' });
  });

  test('a late repetition of what opened it does not open another', async () => {
    const { store } = open();
    const sender = newSender();
    const opening = request(sender);
    const { conversation } = await store.accept(opening, { signal });
    await erase(sender, conversation);
    const again = { ...opening, newConversation: randomIds.next('conv') };
    expect(await store.accept(again, { signal })).toMatchObject({ status: 'gone', conversation });
    expect(await store.list(sender, { limit: 9, signal })).toEqual([]);
  });

  // proves: erase.forks
  test('forks keep what they share until the last of them is erased', async () => {
    const { store } = open();
    const { sender, conversation, key, lease } = await started(store);
    await write(key, lease, [thought(lease, 'a'), withBlob(lease, hashOf('a'))]);
    await write(key, lease, [withBlob(lease, hashOf('b'))]);
    const child = await fork(sender, conversation, 4);
    const grandchild = await fork(sender, child.id, 3);
    await erase(sender, conversation);
    await sweep();
    expect(await texts(child.key)).toEqual([undefined, 'hello', 'a', 'see']);
    expect(await loose(sender)).toEqual([hashOf('b')]);
    const found = { targets: ['user' as const], conversation: child.id, limit: 9 };
    expect(await store.search(sender, { ...found, text: 'hello' }, { signal })).toHaveLength(1);
    expect(await store.search(sender, found, { signal })).toHaveLength(1);
    const page = { ...found, order: 'asc' as const, offset: 0 };
    expect(await store.turns(sender, page, { signal })).toMatchObject({ total: 1 });
    const { conversation: _, ...anywhere } = found;
    expect(await store.search(sender, anywhere, { signal })).toEqual([]);
    await erase(sender, child.id);
    await sweep();
    expect(await texts(grandchild.key)).toEqual([undefined, 'hello', 'a']);
    expect(await loose(sender)).toEqual([hashOf('a')]);
    await erase(sender, grandchild.id);
    expect(await sweep()).toEqual(expect.arrayContaining([key, grandchild.key]));
    expect(await texts(grandchild.key)).toEqual([]);
  });

  test('what only an erased fork stood between is kept for the fork of the fork', async () => {
    const { sender, conversation, key, lease } = await started(open().store);
    await write(key, lease, [thought(lease, 'a')]);
    const child = await fork(sender, conversation, 3);
    const middle = await own(open().store, child.key);
    await write(child.key, middle, [thought(middle, 'b'), thought(middle, 'c')]);
    const last = await fork(sender, child.id, 4);
    await erase(sender, child.id);
    await erase(sender, conversation);
    await sweep();
    expect(await texts(last.key)).toEqual([undefined, 'hello', 'a', 'b']);
  });

  // proves: erase.blobs
  test('bytes are loose when nobody of the tenant names them', async () => {
    const { store } = open();
    const one = await started(store);
    const { sender } = one;
    const two = await started(store, sender);
    const texts = { hashes: { system: hashOf('d') } };
    const opened: Draft = { ...thought(one.lease), type: 'round.open', data: texts };
    await write(one.key, one.lease, [withBlob(one.lease, hashOf('c')), opened]);
    await write(one.key, one.lease, [withBlob(one.lease, hashOf('e'))]);
    await write(two.key, two.lease, [withBlob(two.lease, hashOf('e'))]);
    const other = await started(store);
    await write(other.key, other.lease, [withBlob(other.lease, hashOf('c'))]);
    expect(await loose(sender)).toEqual([]);
    await erase(sender, one.conversation);
    await sweep();
    expect((await loose(sender)).toSorted()).toEqual([hashOf('c'), hashOf('d')]);
    await erase(sender, two.conversation);
    await sweep();
    expect(await loose(sender)).toEqual([hashOf('e')]);
  });

  // proves: blobs.unnamed
  test('blobs are unnamed while no conversation of their tenant refers to them', async () => {
    const { store } = open();
    const { sender, conversation, key, lease } = await started(store);
    const [named, cited, unknown] = [hashOf('1'), hashOf('2'), hashOf('3')];
    const texts = { hashes: { system: cited } };
    const opened: Draft = { ...thought(lease), type: 'round.open', data: texts };
    const unnamed = (tenant = sender.tenant) =>
      store.erasures.unnamedBlobs(tenant, [named, cited, unknown], { signal });
    expect((await unnamed()).toSorted()).toEqual([named, cited, unknown]);
    await write(key, lease, [withBlob(lease, named), opened]);
    expect(await unnamed()).toEqual([unknown]);
    expect((await unnamed(newSender().tenant)).toSorted()).toEqual([named, cited, unknown]);
    const child = await fork(sender, conversation, 3);
    await erase(sender, conversation);
    await sweep();
    expect((await unnamed()).toSorted()).toEqual([cited, unknown]);
    await erase(sender, child.id);
    await sweep();
    expect((await unnamed()).toSorted()).toEqual([named, cited, unknown]);
    expect(await store.erasures.unnamedBlobs(sender.tenant, [], { signal })).toEqual([]);
  });

  test('what is claimed and not settled comes again when the claim ends', async () => {
    const { store, pass } = open();
    const { erasures } = store;
    const { sender, conversation, key, lease } = await started(store);
    await write(key, lease, [withBlob(lease, hashOf('f'))]);
    await erase(sender, conversation);
    const claim = { limit: 1_000, ttlMs: 300, signal };
    const mine = async () => (await erasures.claim(claim)).filter((each) => each.key === key);
    const [claimed] = await mine();
    if (!claimed) throw new Error('nothing was claimed');
    expect(await mine()).toEqual([]);
    while (await erasures.remove(claimed, { signal }));
    await pass(400);
    expect(await mine()).toEqual([claimed]);
    await erasures.settle(claimed, { settleMs: 0, signal });
    const [blob] = (await erasures.claimBlobs(claim)).filter(
      (each) => each.tenant === sender.tenant,
    );
    if (!blob) throw new Error('no blob is loose');
    await erasures.settleBlob(blob, { againInMs: 0, signal });
    expect(await loose(sender)).toEqual([blob.hash]);
    await pass(400);
    expect(await mine()).toEqual([]);
    expect(await loose(sender)).toEqual([]);
  });

  // proves: erase.race
  test('of writers that race with it, none leaves anything behind', async () => {
    const say = fc.constantFrom('accept' as const, 'append' as const, 'fork' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(say, { maxLength: 6 }), fc.nat(6), async (writers, place) => {
        const { store } = open();
        const { sender, conversation, key, lease } = await started(store);
        const write = (kind: (typeof writers)[number]) => {
          if (kind === 'append') return store.append(key, append(lease), { signal });
          if (kind === 'accept') {
            const said = request(sender, { conversation, events: [prompt('hi')] });
            return store.accept(said, { signal });
          }
          const asked = { conversation, at: toSeq(2), newConversation: randomIds.next('conv') };
          return store.fork(sender, asked, { signal });
        };
        const all = writers.map((kind) => () => write(kind) as Promise<{ status: string }>);
        all.splice(place, 0, () => erase(sender, conversation));
        const answers = await Promise.all(all.map((start) => start()));
        await sweep();
        const forks = answers.filter(({ status }) => status === 'forked').length;
        const rows = await store.list(sender, { limit: 99, signal });
        expect(rows).toHaveLength(forks);
        for (const row of rows) expect(await texts(row.key)).toEqual([undefined, 'hello']);
        for (const { id } of rows) await erase(sender, id);
        await sweep();
        expect(await texts(key)).toEqual([]);
        const late = request(sender, { conversation });
        expect(await store.accept(late, { signal })).toMatchObject({ status: 'gone' });
      }),
      runs(15),
    );
  });
}
