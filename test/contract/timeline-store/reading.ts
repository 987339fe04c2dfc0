import { describe, expect, test } from 'vitest';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { toCallId, toSeq } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { SnippetTarget } from '../../../runtime/timeline/ports/store.ts';
import {
  append,
  close,
  log,
  newSender,
  prompt,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';
import { listingContract } from './listing.ts';

const everything: readonly SnippetTarget[] = [
  'assistant',
  'user',
  'attachment',
  'summary',
  'notes',
];

/** What was written comes back: in pages, by path, by words. */
export function readingContract(open: () => StoreUnderTest): void {
  describe('listing', () => listingContract(open));

  const hostile = {
    nul: 'a\0b',
    lone: '\ud83d and \udc4d',
    emoji: '👩‍👩‍👧‍👦 naïve ﷽',
    numbers: '1e400 -0 0.1000 12345678901234567890',
    quotes: `"\\'$turn$$\u2028`,
  };

  // proves: store.as-written
  test.each(Object.entries(hostile))('text with %s survives byte for byte', async (_, text) => {
    const { key, lease } = await started(open().store);
    const data = { z: text, a: [text, { [text]: 1e-300 }], 10: 1, 2: null };
    const meta = { keep: text };
    const block = { ...thought(lease, text), data, meta };
    await open().store.append(key, append(lease, { blocks: [block] }), { signal });
    const [, , read] = await log(open().store, key);
    expect(read).toMatchObject({ text, meta });
    expect(JSON.stringify(read?.data)).toBe(JSON.stringify(data));
  });

  test('every field of a block comes back, and absent ones stay absent', async () => {
    const { key, lease, turn, conversation } = await started(open().store);
    const full: Draft = {
      type: 'artifact.file',
      turn,
      author: 'tool',
      path: toBlockPath('fi:x.outputs/a b.csv'),
      call: toCallId('tc_1'),
      event: 'msg_1',
      mime: 'text/csv',
      text: '',
      data: null,
      blob: { hash: 'sha256:00', size: 5 },
      meta: { needs: 2 },
    };
    const blocks = [full, { type: 'react.notes', turn, author: 'agent' } as const];
    await open().store.append(key, append(lease, { blocks }), { signal });
    const [, , first, second] = await log(open().store, key);
    expect(first).toEqual({ ...full, conversation, seq: 3, at: first?.at });
    const place = { conversation, seq: 4, at: second?.at };
    expect(second).toEqual({ type: 'react.notes', turn, author: 'agent', meta: {}, ...place });
    expect(Object.keys(second ?? {})).not.toContain('text');
  });

  // proves: store.heads
  test('the heads of many conversations are read at once, without those that are erased', async () => {
    const { store } = open();
    const one = await started(store);
    const two = await started(store);
    const gone = await started(store);
    await store.append(one.key, append(one.lease, { blocks: [thought(one.lease)] }), { signal });
    await store.erase(gone.lease.row, gone.conversation, { signal });
    const heads = await store.heads([gone.key, two.key, one.key, two.key], { signal });
    expect([...heads].toSorted()).toEqual(
      [
        [one.key, 3],
        [two.key, 2],
      ].toSorted(),
    );
    expect(await store.heads([], { signal })).toEqual(new Map());
  });

  test('pages join to the whole log', async () => {
    const { store } = open();
    const { key, lease } = await started(store);
    const blocks = Array.from({ length: 7 }, (_, index) => thought(lease, `${index}`));
    await store.append(key, append(lease, { blocks }), { signal });
    const pages: (readonly unknown[])[] = [];
    for (let after = 0; after < 9; after += 4) {
      pages.push(await store.read(key, { after: toSeq(after), limit: 4, signal }));
    }
    expect(pages.map((page) => page.length)).toEqual([4, 4, 1]);
    expect(pages.flat()).toEqual(await log(store, key));
    expect(await store.read(key, { after: toSeq(9), limit: 4, signal })).toEqual([]);
  });

  test('a path names its newest block', async () => {
    const { store } = open();
    const { key, lease } = await started(store);
    for (const text of ['old', 'new']) {
      const blocks = [
        { ...thought(lease, text), path: toBlockPath('ar:x.react.plan.p') },
        thought(lease),
      ];
      await store.append(key, append(lease, { blocks }), { signal });
    }
    const found = await store.atPath(key, toBlockPath('ar:x.react.plan.p'), { signal });
    expect(found).toMatchObject({ text: 'new', seq: 5 });
    expect(await store.atPath(key, toBlockPath('ar:x.react.plan'), { signal })).toBeUndefined();
  });

  test('a conversation is found in its scope only, and listed to its user, newest activity first', async () => {
    const { store, pass } = open();
    const first = await started(store);
    const { sender } = first;
    await pass(5);
    const second = await started(store, sender);
    await started(store, { ...sender, user: 'bob' });
    await pass(5);
    await store.setTitle(first.key, 'Gr\u00fc\0n', { signal });
    await store.append(first.key, append(first.lease), { signal });
    const listed = await store.list(sender, { limit: 10, signal });
    expect(listed.map(({ id }) => id)).toEqual([first.conversation, second.conversation]);
    expect(listed[0]).toMatchObject({ title: 'Grün', head: 3, user: 'ada' });
    expect(listed[1]?.title).toBeUndefined();
    expect(await store.list(sender, { limit: 1, signal })).toHaveLength(1);
    const elsewhere = { ...sender, project: 'other' };
    expect(await store.find(elsewhere, first.conversation, { signal })).toBeUndefined();
    const { createdAt = '', lastAt = '' } = listed[0] ?? {};
    expect(createdAt < lastAt).toBe(true);
  });

  test('a list is filtered by title, id and open turn, puts pinned conversations first on request, and goes on after a row', async () => {
    const { store, pass } = open();
    const oldest = await started(store);
    const { sender } = oldest;
    await pass(5);
    const middle = await started(store, sender);
    await pass(5);
    const newest = await started(store, sender);
    await store.append(
      newest.key,
      append(newest.lease, { blocks: [close(newest.lease)], asOf: newest.lease.row.head }),
      { signal },
    );
    await store.setTitle(oldest.key, '100% Rain_fall', { signal });
    await store.setTitle(middle.key, 'Sun', { signal });
    await store.setPinned(oldest.key, true, { signal });
    const listed = async (query: object) =>
      (await store.list(sender, { limit: 10, ...query, signal })).map(({ id }) => id);
    const [a, b, c] = [oldest, middle, newest].map(({ conversation }) => conversation);
    expect(await listed({ text: '% rAIN_' })).toEqual([a]);
    expect(await listed({ text: c })).toEqual([c]);
    expect(await listed({ text: '%' })).toEqual([a]);
    expect(await listed({ isWorking: true })).toEqual([b, a]);
    expect(await listed({ isWorking: false })).toEqual([c]);
    expect(await listed({})).toEqual([c, b, a]);
    expect(await listed({ pinnedFirst: true })).toEqual([a, c, b]);
    const [first] = await store.list(sender, { limit: 1, pinnedFirst: true, signal });
    expect(first?.pinned).toBe(true);
    expect(await listed({ pinnedFirst: true, after: first })).toEqual([c, b]);
    await store.setPinned(oldest.key, false, { signal });
    expect(await listed({ pinnedFirst: true })).toEqual([c, b, a]);
  });

  test("search finds what was said in the user's earlier conversations, best first, and in nobody else's", async () => {
    const { store } = open();
    const sender = newSender();
    const said = async (text: string, user = sender.user) =>
      await store.accept(request({ ...sender, user }, { events: [prompt(text)] }), { signal });
    const weather = await said('rainfall in Seattle during winter');
    await said('a recipe for bread');
    await said('rainfall in Seattle, says bob', 'bob');
    const hits = await store.search(
      sender,
      { text: 'Seattle rainfall', targets: everything, limit: 5 },
      { signal },
    );
    expect(hits).toHaveLength(1);
    const { conversation, turn } = weather;
    const path = `ar:${turn}.user.prompt`;
    expect(hits[0]).toMatchObject({ conversation, turn, seq: 2, path, target: 'user' });
    expect(hits[0]?.text).toBe('rainfall in Seattle during winter');
    expect(hits[0]?.score).toBeGreaterThan(0);
  });

  test('search is narrowed by target and conversation, and without words gives the newest', async () => {
    const { store, pass } = open();
    const { sender, key, lease, conversation, turn } = await started(store);
    const blocks: Draft[] = [
      {
        ...thought(lease, 'bread is \0baked'),
        type: 'assistant.completion',
        path: toBlockPath('ar:c.1'),
      },
      { ...thought(lease, 'bread: preferred'), type: 'react.note', path: toBlockPath('ar:n.1') },
      { ...thought(lease, 'thinking of bread'), path: toBlockPath('ar:t.1') },
      { ...close(lease), turn },
    ];
    await store.append(key, append(lease, { blocks, asOf: toSeq(2) }), { signal });
    await pass(5);
    const later = await started(store, sender);
    const find = async (targets: readonly SnippetTarget[], more: object = {}) => {
      const hits = await store.search(sender, { targets, limit: 9, ...more }, { signal });
      return hits.map((hit) => hit.path);
    };
    expect(await find(['assistant'], { text: 'bread' })).toEqual(['ar:c.1']);
    expect(await find(['notes', 'user'], { text: 'bread' })).toEqual(['ar:n.1']);
    expect(await find(everything, { text: "'); drop & | ! <-> :*" })).toEqual([]);
    expect(await find(everything, { text: 'bread', conversation: later.conversation })).toEqual([]);
    const newest = await find(everything);
    expect(newest).toHaveLength(4);
    expect(newest[0]).toBe(`ar:${later.turn}.user.prompt`);
    const here = await find(['user'], { conversation });
    expect(here).toEqual([`ar:${turn}.user.prompt`]);
  });
}
