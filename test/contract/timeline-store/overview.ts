import { expect, test } from 'vitest';
import type { JsonObject } from '../../../runtime/base/json.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { toCallId, toSeq, toTurnId, turnToChoose } from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import type {
  ConversationFilter,
  IdleFilter,
  UsageGroup,
} from '../../../runtime/timeline/ports/overview.ts';
import type { OwnerFilter } from '../../../runtime/timeline/ports/store.ts';
import { append, close, newSender, request, type StoreUnderTest, signal, started } from './kit.ts';

const always = { from: '2000-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z', limit: 10 };

/** Reads over all conversations of a project, for those who run it. */
export function overviewContract(open: () => StoreUnderTest): void {
  const called = (model: string, cost: number, actions: readonly string[] = []): Draft => {
    const tokens = {
      input_tokens: 10,
      output_tokens: 2,
      cache_read_tokens: 30,
      cache_write_tokens: 4,
    };
    const usage = { ...tokens, cost_usd: cost };
    const data = { model, role: 'decision', usage, cost_usd: cost, actions: [...actions] };
    return { type: 'model.call', turn: toTurnId(''), author: 'system', data };
  };
  const calls = async (found: Awaited<ReturnType<typeof started>>, ...drafts: Draft[]) => {
    const blocks = drafts.map((draft) => ({ ...draft, turn: found.turn }));
    await open().store.append(found.key, append(found.lease, { blocks }), { signal });
  };
  const usage = async (whose: OwnerFilter, by: UsageGroup) =>
    await open().store.overview.usage(whose, { ...always, by }, { signal });

  // proves: workbench.usage
  test('usage is summed up by model, user, agent, role, conversation and day, the dearest first', async () => {
    const { store } = open();
    const ann = newSender('ann');
    const first = await started(store, ann);
    const second = await started(store, { ...ann, user: 'bob' });
    // Escapes that the database has no text for, and what looks like usage inside a text.
    const odd = ['\u0000 \ud800 "usage":{"input_tokens":99}', '\\u0000'];
    await calls(first, called('small', 0.25), called('large "x"', 1, odd));
    await calls(second, called('small', 0.5));
    const { user: _, ...project } = ann;
    const small = {
      calls: 2,
      inputTokens: 20,
      outputTokens: 4,
      cacheReadTokens: 60,
      cacheWriteTokens: 8,
    };
    expect(await usage(project, 'model')).toMatchObject([
      { calls: 1, inputTokens: 10, costUsd: 1 },
      { key: 'small', ...small, costUsd: 0.75 },
    ]);
    expect(await usage(ann, 'model')).toMatchObject([{ costUsd: 1 }, { key: 'small', calls: 1 }]);
    expect(await usage(project, 'user')).toMatchObject([
      { key: 'ann', costUsd: 1.25 },
      { key: 'bob', costUsd: 0.5 },
    ]);
    expect(await usage(project, 'agent')).toMatchObject([{ key: 'b/a', calls: 3 }]);
    expect(await usage(project, 'role')).toMatchObject([{ key: 'decision', calls: 3 }]);
    expect((await usage(project, 'conversation')).map(({ key }) => key)).toEqual([
      first.conversation,
      second.conversation,
    ]);
    const [day] = await usage(project, 'day');
    expect(day).toMatchObject({ calls: 3 });
    expect(day?.key).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(await usage({ ...project, project: 'other' }, 'day')).toEqual([]);
    const past = { ...always, to: '2001-01-01T00:00:00Z', by: 'day' as const };
    expect(await store.overview.usage(project, past, { signal })).toEqual([]);
  });

  test('conversations of all users are listed page by page, the newest activity first', async () => {
    const { store, pass } = open();
    const ann = newSender('ann');
    const keys: number[] = [];
    for (const user of ['ann', 'bob', 'ann']) {
      keys.unshift((await started(store, { ...ann, user })).key);
      await pass(5);
    }
    const { user: _, ...project } = ann;
    const all = await store.overview.conversations(project, { limit: 2, signal });
    expect(all.map(({ key }) => key)).toEqual(keys.slice(0, 2));
    const before = all.at(-1);
    const rest = await store.overview.conversations(project, {
      limit: 2,
      ...(before && { before }),
      signal,
    });
    expect(rest.map(({ key }) => key)).toEqual(keys.slice(2));
    const own = await store.overview.conversations(ann, { limit: 10, signal });
    expect(own.map(({ user }) => user)).toEqual(['ann', 'ann']);
  });

  // proves: workbench.filters
  test('conversations are filtered by text, state, agent, activity and cost, and each has facts', async () => {
    const { store } = open();
    const ann = newSender('ann');
    const { user: _, ...project } = ann;
    const cheap = await started(store, ann);
    const dear = await started(store, { ...ann, user: 'bob' });
    await calls(cheap, called('small', 0.25));
    await calls(dear, called('small', 0.5), called('large', 1));
    await store.setTitle(cheap.key, 'The Tay bridge', { signal });
    const failed = { ...close(dear.lease), data: { reason: 'failed' } };
    await store.append(dear.key, append(dear.lease, { blocks: [failed], asOf: toSeq(99) }), {
      signal,
    });
    const found = async (filter: ConversationFilter) =>
      (await store.overview.conversations(project, { limit: 10, filter, signal })).map(
        ({ user }) => user,
      );
    expect(await found({ text: 'tay' })).toEqual(['ann']);
    expect(await found({ text: 'BOB' })).toEqual(['bob']);
    expect(await found({ text: '%' })).toEqual([]);
    expect(await found({ state: 'failed' })).toEqual(['bob']);
    expect(await found({ state: 'working' })).toEqual(['ann']);
    expect(await found({ state: 'waiting' })).toEqual([]);
    expect(await found({ agent: 'b/a' })).toHaveLength(2);
    expect(await found({ agent: 'b/other' })).toEqual([]);
    expect(await found({ from: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await found({ to: '2999-01-01T00:00:00Z' })).toHaveLength(2);
    expect(await found({ costUsd: 1 })).toEqual(['bob']);
    expect(await store.overview.facts([dear.key, cheap.key], { signal })).toEqual([
      { key: dear.key, calls: 2, costUsd: 1.5, agent: 'b/a', state: 'failed' },
      { key: cheap.key, calls: 1, costUsd: 0.25, agent: 'b/a', state: 'working' },
    ]);
  });

  // proves: workbench.failures
  test('failed turns and calls are listed, and calls are counted by tool', async () => {
    const { store } = open();
    const ann = newSender('ann');
    const found = await started(store, ann);
    const { user: _, ...project } = ann;
    const tool = (name: string, id: string, data: JsonObject): readonly Draft[] => {
      const call = toCallId(id);
      const own = { turn: found.turn, call } as const;
      return [
        {
          ...{ ...own, type: 'react.tool.call', author: 'agent' },
          ...{ path: paths.call(found.turn, call), data: { tool: name, input: {} } },
        },
        {
          ...{ ...own, type: 'react.tool.result', author: 'tool', data },
          ...{ path: paths.result(found.turn, call), text: 'says "data":{"ok":false' },
        },
      ];
    };
    const error = { code: 'timeout', message: 'took "too" long' };
    await calls(
      found,
      ...tool('desk.look', 'tc_1', { ok: true, ret: { data: { ok: false } } }),
      ...tool('desk.send', 'tc_2', { ok: false, error }),
    );
    const failed = { reason: 'failed', error: { code: 'MODEL_FAILED', message: 'no answer' } };
    const end = { ...close(found.lease), data: failed };
    await store.append(found.key, append(found.lease, { blocks: [end], asOf: toSeq(99) }), {
      signal,
    });
    const rows = await store.overview.failures(project, { ...always, signal });
    expect(rows).toMatchObject([
      { user: 'ann', turn: found.turn, tool: '', code: 'MODEL_FAILED', message: 'no answer' },
      { tool: 'desk.send', code: 'timeout', message: 'took "too" long' },
    ]);
    expect(await store.overview.tools(project, { ...always, signal })).toMatchObject([
      { tool: 'desk.send', calls: 1, failed: 1 },
      { tool: 'desk.look', calls: 1, failed: 0 },
    ]);
    const later = { ...always, from: '2998-01-01T00:00:00Z', signal };
    expect(await store.overview.failures(project, later)).toEqual([]);
    expect(await store.overview.tools(project, later)).toEqual([]);
  });

  // proves: workbench.family
  test('a conversation that begins with a turn that is run again belongs to its original', async () => {
    const { store } = open();
    const ann = newSender('ann');
    const original = await started(store, ann);
    const row = await store.find(ann, original.conversation, { signal });
    const turnData = {
      bundle: 'b',
      rerun_of: { conversation: row?.id ?? '', turn: original.turn },
    };
    const again = await store.accept(request(ann, { turnData }), { signal });
    // Another user's text that says the same.
    const bob = { ...ann, user: 'bob' };
    await store.accept(request(bob, { turnData }), { signal });
    const forks = await store.overview.forks(original.key, { limit: 10, signal });
    expect(forks.map(({ id }) => id)).toEqual([again.conversation]);
  });

  test('forks of the blocks that a conversation wrote are listed, oldest first', async () => {
    const { store } = open();
    const { sender, key, conversation } = await started(store);
    const fork = async (newConversation: string, from = conversation) =>
      await store.fork(sender, { conversation: from, at: toSeq(1), newConversation }, { signal });
    await fork('conv_fork_1');
    await fork('conv_fork_2');
    await fork('conv_fork_of_fork', 'conv_fork_1');
    const forks = await store.overview.forks(key, { limit: 10, signal });
    expect(forks.map(({ id }) => id)).toEqual(['conv_fork_1', 'conv_fork_2', 'conv_fork_of_fork']);
    expect(forks[0]?.forkedFrom).toEqual({ conversation, seq: 1 });
    await store.erase(sender, 'conv_fork_1', { signal });
    expect(await store.overview.forks(key, { limit: 10, signal })).toHaveLength(2);
  });

  test('conversations at work are listed with who works on them, until their turn is closed', async () => {
    const { store } = open();
    const { sender, key, lease } = await started(store);
    const { user: _, ...project } = sender;
    const working = async () => await store.overview.working(project, { limit: 10, signal });
    expect(await working()).toMatchObject([{ row: { key }, state: 'running' }]);
    await store.release(key, { fence: lease.fence, signal });
    expect(await working()).toMatchObject([{ row: { key }, state: 'due' }]);
    const again = await store.acquire(key, { worker: 'w2', ttlMs: 60_000, signal });
    if (!again) throw new Error('the lease is held');
    await store.append(key, append(again, { blocks: [close(again)], asOf: toSeq(2), gate: 0 }), {
      signal,
    });
    expect(await working()).toEqual([]);
  });

  const rate = async (
    { sender, conversation, turn }: Awaited<ReturnType<typeof started>>,
    { reaction, ...more }: { reaction: string | null; origin?: string; key?: string },
  ) => {
    const { origin = 'user', key } = more;
    const event: Draft = {
      ...{ type: 'feedback', turn: turnToChoose, author: 'user', path: paths.feedback(turn, key) },
      data: { turn_id: turn, reaction, origin },
    };
    const sent = request(sender, { conversation, events: [event], reactive: false });
    await open().store.accept(sent, { signal });
  };

  // proves: feedback.satisfaction
  test('ratings are counted by agent: the newest of each source on each turn, unless it was taken back', async () => {
    const { store } = open();
    const ann = newSender('ann');
    const first = await started(store, ann);
    const second = await started(store, { ...ann, user: 'bob' });
    await rate(first, { reaction: 'ok' });
    await rate(first, { reaction: 'not_ok' });
    await rate(first, { reaction: 'ok', origin: 'machine', key: 'machine-b-check' });
    await rate(second, { reaction: 'not_ok' });
    await rate(await started(store, ann), { reaction: null });
    const { user: _, ...project } = ann;
    expect(await store.overview.ratings(project, { ...always, signal })).toEqual([
      { agent: 'b/a', origin: 'machine', reaction: 'ok', count: 1 },
      { agent: 'b/a', origin: 'user', reaction: 'not_ok', count: 2 },
    ]);
    const own = { agent: 'b/a', origin: 'user', reaction: 'not_ok', count: 1 };
    expect(await store.overview.ratings(ann, { ...always, signal })).toContainEqual(own);
    const past = { from: always.from, to: '2001-01-01T00:00:00Z', signal };
    expect(await store.overview.ratings(project, past)).toEqual([]);
  });

  // proves: retention.idle
  test('conversations without an open turn are idle since their last block, the longest first', async () => {
    const { store, pass } = open();
    const ann = newSender('ann');
    const first = await started(store, ann);
    const second = await started(store, { ...ann, user: 'bob' });
    await started(store, ann);
    for (const each of [second, first]) {
      const blocks = [close(each.lease)];
      await store.append(each.key, append(each.lease, { blocks, asOf: toSeq(2) }), { signal });
      await pass(5);
    }
    const { user: _, ...project } = ann;
    const idle = async (whose: OwnerFilter, since = always.to, filter: IdleFilter = {}) => {
      const page = { since, limit: 10, ...filter, signal };
      const rows = await store.overview.idle(whose, page);
      return rows.map(({ row, bundle }) => [row.id, bundle]);
    };
    const all = [
      [second.conversation, 'b'],
      [first.conversation, 'b'],
    ];
    expect(await idle(project)).toEqual(all);
    expect(await idle(ann)).toEqual(all.slice(1));
    expect(await idle(project, always.from)).toEqual([]);
    const row = await store.find(project, first.conversation, { signal });
    expect(await idle(project, row?.lastAt)).toEqual(all.slice(0, 1));
    expect(await idle(project, always.to, { bundle: 'b' })).toEqual(all);
    expect(await idle(project, always.to, { bundle: 'c' })).toEqual([]);
    expect(await idle(project, always.to, { except: ['c'] })).toEqual(all);
    expect(await idle(project, always.to, { except: ['b'] })).toEqual([]);
  });
}
