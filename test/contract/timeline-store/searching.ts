import { expect, test } from 'vitest';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { noTurn, toCallId, toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { Sender, SnippetQuery, TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { meaningOf } from '../../tools/services/embedding-wire.ts';
import {
  append,
  close,
  followup,
  newSender,
  prompt,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';

const targets = ['assistant', 'user', 'attachment', 'summary', 'notes'] as const;
/** Not the kit's “hello”. */
const say = (store: TimelineStore, sender: Sender, text: string) =>
  store.accept(request(sender, { events: [prompt(text)] }), { signal });

async function find(store: TimelineStore, sender: Sender, query: Partial<SnippetQuery>) {
  const hits = await store.search(sender, { targets, limit: 9, ...query }, { signal });
  return hits.map((hit) => hit.text);
}

/** What memory promises, whatever it is kept in. */
export function searchingContract(open: () => StoreUnderTest): void {
  // proves: memory.search
  test('words are found misspelt, inflected, in other cases and with other accents', async () => {
    const { store } = open();
    const sender = newSender();
    const said = [
      'a recipe for sourdough bread',
      'please separate the invoices',
      'Überweisung an die Bäckerei in Zürich',
      'la réunion est à midi',
      'завтра будет дождь',
      '東京の天気は晴れです',
      'o deploy falhou em produção',
      'how many foggy days were there?',
    ];
    for (const text of said) await say(store, sender, text);
    const first = async (text: string) => (await find(store, sender, { text }))[0];
    expect(await first('sourdoh')).toBe(said[0]);
    expect(await first('seperate')).toBe(said[1]);
    expect(await first('INVOICE')).toBe(said[1]);
    expect(await first('überweisungen')).toBe(said[2]);
    expect(await first('backerei zurich')).toBe(said[2]);
    expect(await first('reunion')).toBe(said[3]);
    expect(await first('дожди')).toBe(said[4]);
    expect(await first('東京の天気')).toBe(said[5]);
    expect(await first('producao')).toBe(said[6]);
    expect(await find(store, sender, { text: 'fog' })).toContain(said[7]);
    expect(await find(store, sender, { text: 'zeppelin' })).toEqual([]);
  });

  test('words side by side come before the same words apart, rare ones before common ones', async () => {
    const { store } = open();
    const sender = newSender();
    for (let n = 0; n < 12; n += 1) await say(store, sender, `the budget of month ${n}`);
    await say(store, sender, 'start of a cold and rainy morning');
    await say(store, sender, 'the cold start of the runtime takes long');
    await say(store, sender, 'the quokka budget');
    const both = await find(store, sender, { text: 'cold start', weights: { recency: 0 } });
    expect(both[0]).toBe('the cold start of the runtime takes long');
    expect((await find(store, sender, { text: 'budget quokka' }))[0]).toBe('the quokka budget');
  });

  test('what a summary is about, and a file’s name, weigh more than what is in the text', async () => {
    const { store } = open();
    const { sender, key, lease, turn } = await started(store);
    const anchors = { phrases: ['kestrel migration'], entities: [] };
    const blocks: Draft[] = [
      {
        ...thought(lease, 'Goal: move the service'),
        type: 'conv.working.summary',
        path: toBlockPath(`ws:${turn}.conv.working.summary.attempt.1`),
        data: { anchors },
      },
      {
        ...thought(lease, 'a kestrel is a bird of prey'),
        type: 'assistant.completion',
        path: toBlockPath('ar:c'),
      },
    ];
    await store.append(key, append(lease, { blocks }), { signal });
    const found = await find(store, sender, { text: 'kestrel', weights: { recency: 0 } });
    expect(found).toEqual(['Goal: move the service', 'a kestrel is a bird of prey']);
  });

  // proves: memory.modes
  test('scopes are a conversation, an agent, a user; another user has none of it', async () => {
    const { store } = open();
    const sender = newSender();
    const agents = ['writer', 'coder'].map((agent) => ({ bundle: 'b', agent }));
    const [first] = await Promise.all(
      agents.map((turnData) =>
        store.accept(
          request(sender, { turnData, events: [prompt(`a plan of ${turnData.agent}`)] }),
          {
            signal,
          },
        ),
      ),
    );
    const bob = { ...sender, user: 'bob' };
    const query = { text: 'plan' } as const;
    expect(await find(store, sender, query)).toHaveLength(2);
    expect(await find(store, sender, { ...query, agent: 'b/coder' })).toEqual(['a plan of coder']);
    expect(await find(store, sender, { ...query, agent: 'other/coder' })).toEqual([]);
    const conversation = first?.conversation ?? '';
    expect(await find(store, sender, { ...query, conversation })).toEqual(['a plan of writer']);
    expect(await find(store, bob, { ...query, conversation })).toEqual([]);
    expect(await find(store, bob, query)).toEqual([]);
    expect(await find(store, sender, { conversation: 'conv_none', ...query })).toEqual([]);
    const page = { targets, order: 'asc', offset: 0, limit: 9 } as const;
    expect(await store.turns(bob, { ...page, conversation }, { signal })).toEqual({
      total: 0,
      rows: [],
    });
    const coder = await store.turns(sender, { ...page, agent: 'b/coder' }, { signal });
    expect(coder.rows.map(({ snippets }) => snippets[0]?.text)).toEqual(['a plan of coder']);
  });

  test('times bound a search by the store’s clock, and the turn that asks is left out', async () => {
    const { store, pass } = open();
    const sender = newSender();
    const early = await say(store, sender, 'an early plan');
    await pass(20);
    const late = await say(store, sender, 'a late plan');
    const [block] = await store.read(toConversationKey(late.key ?? 0), {
      after: toSeq(0),
      limit: 1,
      signal,
    });
    const at = block?.at ?? '';
    expect(await find(store, sender, { text: 'plan', to: at })).toEqual(['an early plan']);
    expect(await find(store, sender, { text: 'plan', from: at })).toEqual(['a late plan']);
    expect(await find(store, sender, { from: at })).toEqual(['a late plan']);
    const except = early.turn ?? noTurn;
    expect(await find(store, sender, { text: 'plan', except })).toEqual(['a late plan']);
    expect(await find(store, sender, { text: 'plan' })).toEqual(['a late plan', 'an early plan']);
  });

  test.each([
    "'); drop table snippet; --",
    "' | '@s1' & !'x':* <-> \\",
    ':*ABCD & | ! ( ) <2>',
    '\0 \ud800 \u001f %_%',
    '"a" OR "b" -c',
    '@s0 @c1',
    '   ',
    '🙂🙂 ﷽',
    'x'.repeat(5_000),
  ])('a query like %j is text and nothing else', async (text) => {
    const { store } = open();
    const sender = newSender();
    await say(store, sender, 'nothing to see');
    expect(await find(store, sender, { text })).toEqual([]);
    expect(await find(store, sender, { text: 'nothing' })).toEqual(['nothing to see']);
  });

  test('turns come in order, page by page, with what was said and how many there are', async () => {
    const { store, pass } = open();
    const { sender, key, lease, conversation, turn } = await started(store);
    const tool = {
      type: 'react.tool.call',
      author: 'agent',
      turn,
      call: toCallId('tc_1'),
    } as const;
    await store.append(
      key,
      append(lease, { blocks: [{ ...tool, data: { tool: 'react.memsearch', input: {} } }] }),
      { signal },
    );
    await store.append(key, append(lease, { blocks: [close(lease)], asOf: toSeq(9) }), { signal });
    await pass(5);
    const second = request(sender, { conversation, events: [prompt('the second')] });
    const next = await store.accept(second, { signal });
    const more = request(sender, { conversation, events: [followup('and more')], needsTurn: true });
    await store.accept(more, { signal });
    await pass(5);
    await started(store, sender);
    const ask = async (query: object) =>
      await store.turns(
        sender,
        { targets, order: 'asc', offset: 0, limit: 9, ...query },
        { signal },
      );
    const here = await ask({ conversation });
    expect(here).toMatchObject({
      total: 2,
      rows: [
        {
          turn,
          ordinal: 1,
          turns: 2,
          recovery: true,
          snippets: [{ target: 'user', text: 'hello' }],
        },
        {
          turn: next.turn,
          ordinal: 2,
          turns: 2,
          recovery: false,
          snippets: [{ text: 'the second' }, { text: 'and more' }],
        },
      ],
    });
    expect((await ask({})).total).toBe(3);
    const last = await ask({ conversation, order: 'desc', limit: 1 });
    expect(last).toMatchObject({ total: 2, rows: [{ ordinal: 2 }] });
    expect(await ask({ conversation, offset: 1 })).toMatchObject({ rows: [{ ordinal: 2 }] });
    expect(await ask({ conversation, offset: 9 })).toEqual({ total: 2, rows: [] });
    expect(await ask({ conversation, except: next.turn })).toMatchObject({
      rows: [{ ordinal: 1 }],
    });
    const [hit] = await store.search(
      sender,
      { targets, text: 'hello', conversation, limit: 1 },
      { signal },
    );
    expect(hit).toMatchObject({ turn, ordinal: 1, turns: 2, recovery: true });
  });

  // proves: memory.vectors
  test('what means the same is found without a common word, once its vector is there', async () => {
    const { store } = open();
    const sender = newSender();
    const space = newSender().tenant;
    for (const text of ['the rainfall of Seattle', 'a sourdough loaf', 'nothing of note']) {
      await say(store, sender, text);
    }
    const vector = { space, values: meaningOf('regen') };
    const query = { text: 'regen', vector };
    expect(await find(store, sender, query)).toEqual([]);
    await embedAll(store, space);
    expect(await find(store, sender, query)).toEqual(['the rainfall of Seattle']);
    expect(await find(store, sender, { ...query, weights: { semantic: 0 } })).toEqual([]);
    expect(await find(store, sender, { ...query, targets: ['notes'] })).toEqual([]);
    expect(await find(store, sender, { ...query, to: '2000-01-01T00:00:00.000Z' })).toEqual([]);
    expect(await find(store, sender, { ...query, agent: 'b/other' })).toEqual([]);
    expect(await find(store, sender, { ...query, agent: 'b/a' })).toHaveLength(1);
    expect(await find(store, { ...sender, user: 'bob' }, query)).toEqual([]);
    const short = { space, values: [1, 2] };
    expect(await find(store, sender, { text: 'regen', vector: short })).toEqual([]);
    expect(
      await find(store, sender, { text: 'regen', vector: { ...vector, space: 'no' } }),
    ).toEqual([]);
    const both = { text: 'loaf', vector: { space, values: meaningOf('precipitation') } };
    expect(new Set(await find(store, sender, both))).toEqual(
      new Set(['the rainfall of Seattle', 'a sourdough loaf']),
    );
  });

  test('what is to be embedded is claimed by one at a time, once, and given back when it is late', async () => {
    const { store, pass } = open();
    const space = newSender().tenant;
    await say(store, newSender(), 'rain');
    await embedAll(store, space);
    await say(store, newSender(), 'bread');
    await say(store, newSender(), 'poison');
    const claim = (ttlMs: number) => store.unembedded(space, { limit: 9, ttlMs, signal });
    const claimed = await claim(100);
    expect(claimed.map(({ text }) => text)).toEqual(['bread', 'poison']);
    expect(await claim(100)).toEqual([]);
    await pass(150);
    expect(await claim(60_000)).toEqual(claimed);
    const vectors = claimed.map(({ text, ...key }) =>
      text === 'poison' ? key : { ...key, vector: meaningOf(text) },
    );
    await store.keepVectors(space, vectors, { signal });
    await store.keepVectors(space, vectors, { signal });
    expect(await claim(100)).toEqual([]);
    await say(store, newSender(), 'invoice');
    expect((await claim(100)).map(({ text }) => text)).toEqual(['invoice']);
  });
}

async function embedAll(store: TimelineStore, space: string): Promise<void> {
  for (;;) {
    const claimed = await store.unembedded(space, { limit: 50, ttlMs: 60_000, signal });
    if (claimed.length === 0) return;
    const vectors = claimed.map(({ text, ...key }) => ({ ...key, vector: meaningOf(text) }));
    await store.keepVectors(space, vectors, { signal });
  }
}
