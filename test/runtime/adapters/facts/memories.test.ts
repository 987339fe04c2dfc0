import { describe, expect, test } from 'vitest';
import { createMem0Memory } from '../../../../runtime/adapters/facts/mem0.ts';
import { createStoredFacts } from '../../../../runtime/adapters/facts/stored-facts.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import type { Embedder } from '../../../../runtime/timeline/ports/embedder.ts';
import { longTermMemoryContract } from '../../../contract/long-term-memory.ts';
import { newSender } from '../../../contract/timeline-store/kit.ts';
import { startMem0Server } from './mem0-server.ts';

const { signal } = new AbortController();
const owner = { ...newSender(), agent: 'desk/main' };
const place = { owner, scope: 'user', conversation: 'conv_1' } as const;

function storedFacts({ embedder, storage }: { embedder?: Embedder; storage?: Storage } = {}) {
  const clock = manualClock();
  const parts = { clock, log: silentLog, embedder };
  return createStoredFacts({ ...parts, storage: storage ?? createMemoryStorage(clock.now) });
}
type Storage = ReturnType<typeof createMemoryStorage>;

longTermMemoryContract('the built-in memory', async () => ({
  memory: storedFacts(),
  [Symbol.asyncDispose]: async () => undefined,
}));

longTermMemoryContract('the memory on a mem0 server', async () => {
  const server = await startMem0Server({ key: 'secret' });
  return {
    memory: createMem0Memory({ url: server.url, key: 'secret', infer: true }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

describe('the built-in memory', () => {
  const byMeaning: Embedder = {
    space: 'test:animals',
    embed: async (texts) => texts.map((text) => (/dog|puppy/.test(text) ? [1, 0.1] : [0.1, 1])),
  };

  // proves: memory.facts
  test('finds by meaning what has no word in common with the question', async () => {
    const memory = storedFacts({ embedder: byMeaning });
    const facts = ['Bello is a dog', 'Lisbon is a city'];
    await memory.record({ ...place, op: 'turn_1', content: { facts } }, { signal });
    const query = { owner, scopes: ['user'], text: 'a puppy', limit: 1 } as const;
    const [found] = await memory.retrieve(query, { signal });
    expect(found?.text).toBe('Bello is a dog');
  });

  // proves: memory.facts
  test('searches by words while the embedder does not answer', async () => {
    const down = async () => Promise.reject(new Error('no network'));
    const memory = storedFacts({ embedder: { space: 'test:down', embed: down } });
    const facts = ['Bello is a dog', 'Lisbon is a city'];
    await memory.record({ ...place, op: 'turn_1', content: { facts } }, { signal });
    const query = { owner, scopes: ['user'], text: 'a city', limit: 1 } as const;
    expect((await memory.retrieve(query, { signal }))[0]?.text).toBe('Lisbon is a city');
  });

  // proves: memory.facts
  test('says nothing twice', async () => {
    const memory = storedFacts();
    const facts = ['Bello is a dog', 'bello is  a dog'];
    await memory.record({ ...place, op: 'turn_1', content: { facts } }, { signal });
    await memory.record({ ...place, op: 'turn_2', content: { facts } }, { signal });
    expect(await memory.list(owner, { signal })).toHaveLength(1);
  });

  // proves: memory.facts
  test('a repetition replaces what an interrupted recording left', async () => {
    const clock = manualClock();
    const storage = createMemoryStorage(clock.now);
    let writes = 0;
    const cut: Storage = {
      ...storage,
      set: async (...entry) => {
        writes += 1;
        if (writes === 2) throw new Error('killed');
        await storage.set(...entry);
      },
    };
    const record = (on: Storage, facts: readonly string[]) =>
      storedFacts({ storage: on }).record(
        { ...place, op: 'turn_1', content: { facts } },
        { signal },
      );
    await expect(record(cut, ['The user has a cat', 'The user sings'])).rejects.toThrow('killed');
    await record(storage, ['The user owns a cat']);
    const list = await storedFacts({ storage }).list(owner, { signal });
    expect(list.map(({ text }) => text)).toEqual(['The user owns a cat']);
  });
});

describe('the memory on a mem0 server', () => {
  // proves: memory.facts
  test('messages are sent to a server that infers facts, and its own facts as they are', async () => {
    await using server = await startMem0Server();
    const memory = createMem0Memory({ url: server.url, infer: true });
    const messages = [{ role: 'user', text: 'I have a dog' } as const];
    await memory.record({ ...place, op: 'turn_1', content: { messages } }, { signal });
    const facts = ['The user sings'];
    await memory.record({ ...place, op: 'call_1', content: { facts } }, { signal });
    expect(server.added.map(({ infer, messages: sent }) => ({ infer, sent }))).toEqual([
      { infer: true, sent: [{ role: 'user', content: 'I have a dog' }] },
      { infer: false, sent: [{ role: 'user', content: 'The user sings' }] },
    ]);
  });

  // proves: memory.facts
  test('a server that fails is a transient fault, one that refuses the key a permanent one', async () => {
    await using server = await startMem0Server({ key: 'right' });
    const memory = createMem0Memory({ url: server.url, key: 'wrong', infer: true });
    await expect(memory.list(owner, { signal })).rejects.toMatchObject({ code: 'MEMORY_REFUSED' });
    server.failWith = 502;
    await expect(memory.list(owner, { signal })).rejects.toMatchObject({
      code: 'MEMORY_UNAVAILABLE',
    });
  });

  // proves: memory.faults
  test('a request is repeated after a failure that may pass, a recording never', async () => {
    await using server = await startMem0Server();
    const memory = createMem0Memory({ url: server.url, infer: true });
    const content = { facts: ['The user sings'] };
    await memory.record({ ...place, op: 'turn_1', content }, { signal });
    server.failures = 2;
    expect(await memory.list(owner, { signal })).toHaveLength(1);
    server.failures = 1;
    const query = { owner, scopes: ['user'], text: 'sings', limit: 1 } as const;
    expect(await memory.retrieve(query, { signal })).toHaveLength(1);
    server.refusesAdditions = true;
    const recording = memory.record({ ...place, op: 'turn_2', content }, { signal });
    await expect(recording).rejects.toMatchObject({ code: 'MEMORY_UNAVAILABLE' });
    expect(server.additions).toBe(2);
    server.failures = 3;
    await expect(memory.list(owner, { signal })).rejects.toMatchObject({
      code: 'MEMORY_UNAVAILABLE',
    });
  });

  // proves: memory.faults
  test('a server that answers something else, or nothing, is a typed fault within its time', async () => {
    await using server = await startMem0Server();
    const memory = createMem0Memory({ url: server.url, infer: true, requestMs: 200 });
    const query = { owner, scopes: ['user'], text: 'dog', limit: 1 } as const;
    server.broken = 'answers';
    await expect(memory.retrieve(query, { signal })).rejects.toMatchObject({
      code: 'MEMORY_REFUSED',
    });
    server.broken = 'silence';
    await expect(memory.retrieve(query, { signal })).rejects.toMatchObject({
      code: 'MEMORY_UNAVAILABLE',
    });
    const stop = new AbortController();
    const listed = memory.list(owner, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(listed).rejects.toThrow('stopped');
  });
});
