import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  LongTermMemory,
  MemoryOwner,
  MemoryScope,
} from '../../runtime/tools/ports/long-term-memory.ts';
import { newSender } from './timeline-store/kit.ts';

export type MemoryUnderTest = AsyncDisposable & { readonly memory: LongTermMemory };

const { signal } = new AbortController();
const agent = 'desk/main';

/** What every long-term memory promises; each test has users of its own. */
export function longTermMemoryContract(name: string, open: () => Promise<MemoryUnderTest>): void {
  describe(`${name} keeps the promises of a long-term memory`, () => {
    let under: MemoryUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(async () => {
      await under[Symbol.asyncDispose]();
    });
    const newOwner = (): MemoryOwner => ({ ...newSender(), agent });
    const record = (
      owner: MemoryOwner,
      facts: readonly string[],
      { op = facts.join(), scope = 'user', conversation = 'conv_1' }: RecordOptions = {},
    ) => under.memory.record({ owner, scope, op, conversation, content: { facts } }, { signal });
    const recall = async (owner: MemoryOwner, text: string, scopes: readonly MemoryScope[]) => {
      const query = { owner, scopes, text, limit: 5 };
      return (await under.memory.retrieve(query, { signal })).map((fact) => fact.text);
    };
    const listed = async (owner: MemoryOwner) =>
      (await under.memory.list(owner, { signal })).map(({ text }) => text).sort();

    // proves: memory.facts
    test('a recorded fact is found by a question about it, before others', async () => {
      const owner = newOwner();
      await record(owner, ['The dog of the user is called Bello', 'The user lives in Lisbon']);
      expect((await recall(owner, 'How do I call my dog?', ['user']))[0]).toContain('Bello');
      expect((await recall(owner, 'Tell me about Lisbon', ['user']))[0]).toContain('Lisbon');
    });

    // proves: memory.facts
    test('a repeated recording records nothing more, whatever it says', async () => {
      const owner = newOwner();
      expect(await under.memory.isRecorded(owner, 'turn_1', { signal })).toBe(false);
      expect(await record(owner, ['The user plays chess'], { op: 'turn_1' })).toHaveLength(1);
      expect(await under.memory.isRecorded(owner, 'turn_1', { signal })).toBe(true);
      expect(await record(owner, ['The user likes chess'], { op: 'turn_1' })).toEqual([]);
      expect(await listed(owner)).toEqual(['The user plays chess']);
    });

    // proves: memory.facts
    test('the scope of a fact says who finds it', async () => {
      const owner = newOwner();
      const colleague = { ...owner, user: `${owner.user}-2` };
      const elsewhere = { ...colleague, agent: 'desk/other' };
      await record(owner, ['private: the user is called Ada'], { scope: 'user' });
      await record(owner, ['agent: reports are due on Fridays'], { scope: 'agent' });
      await record(owner, ['tenant: the office is in Porto'], { scope: 'tenant' });
      const all = ['user', 'agent', 'tenant'] as const;
      const scopesOf = async (who: MemoryOwner) =>
        (await recall(who, 'user reports office', all)).map((text) => text.split(':')[0]).sort();
      expect(await scopesOf(owner)).toEqual(['agent', 'private', 'tenant']);
      expect(await scopesOf(colleague)).toEqual(['agent', 'tenant']);
      expect(await scopesOf(elsewhere)).toEqual(['tenant']);
      expect(await recall(owner, 'office', ['user'])).toEqual(['private: the user is called Ada']);
      expect(await recall(newOwner(), 'user reports office', all)).toEqual([]);
    });

    // proves: memory.forget
    test('a user lists what their conversations have left in every scope, and forgets one fact', async () => {
      const owner = newOwner();
      const [fact] = await record(owner, ['The office is in Porto'], { scope: 'tenant' });
      await record(owner, ['The user is called Ada']);
      const id = fact?.id ?? '';
      expect(await listed(owner)).toEqual(['The office is in Porto', 'The user is called Ada']);
      const other = { ...owner, user: 'somebody else' };
      expect(await under.memory.forget(other, { id }, { signal })).toBe(0);
      expect(await under.memory.existing(owner, [id, 'unknown'], { signal })).toEqual(
        new Set([id]),
      );
      expect(await under.memory.forget(owner, { id }, { signal })).toBe(1);
      expect(await under.memory.forget(owner, { id }, { signal })).toBe(0);
      expect(await under.memory.existing(owner, [id], { signal })).toEqual(new Set());
      expect(await recall(owner, 'office', ['tenant'])).toEqual([]);
      expect(await listed(owner)).toEqual(['The user is called Ada']);
    });

    // proves: memory.forget
    test('the facts of one conversation, or all of a user, are forgotten together', async () => {
      const owner = newOwner();
      await record(owner, ['The user is called Ada', 'The user sings'], { conversation: 'conv_a' });
      await record(owner, ['Reports are due on Fridays'], {
        conversation: 'conv_b',
        scope: 'agent',
      });
      await record(owner, ['The user paints'], { conversation: 'conv_c' });
      const forget = (what: Parameters<LongTermMemory['forget']>[1]) =>
        under.memory.forget(owner, what, { signal });
      expect(await forget({ conversation: 'conv_a' })).toBe(2);
      expect(await listed(owner)).toEqual(['Reports are due on Fridays', 'The user paints']);
      expect(await forget({ all: true })).toBe(2);
      expect(await listed(owner)).toEqual([]);
      expect(await recall(owner, 'reports', ['agent', 'user'])).toEqual([]);
    });
  });
}

type RecordOptions = { op?: string; scope?: MemoryScope; conversation?: string };
