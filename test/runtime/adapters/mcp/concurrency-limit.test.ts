import { expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../../../runtime/adapters/mcp/connection/concurrency-limit.ts';

const { signal } = new AbortController();

test('a waiting call enters when another leaves, in order', async () => {
  const gate = new ConcurrencyLimit({ room: 1, waitingMax: 2 });
  const order: string[] = [];
  const inside = await gate.enter(signal);
  const enter = async (name: string) => {
    using _place = await gate.enter(signal);
    order.push(name);
  };
  const both = [enter('a'), enter('b')];
  await expect(gate.enter(signal)).rejects.toMatchObject({ code: 'busy', retryable: true });
  inside[Symbol.dispose]();
  await Promise.all(both);
  expect(order).toEqual(['a', 'b']);
  expect(gate.isEmpty).toBe(true);
});

test('a call that stops waiting leaves no gap, even if its slot was granted at the same moment', async () => {
  const gate = new ConcurrencyLimit({ room: 1, waitingMax: 9 });
  const [gone, late] = [new AbortController(), new AbortController()];
  const inside = await gate.enter(signal);
  const first = gate.enter(gone.signal);
  const second = gate.enter(late.signal);
  gone.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  inside[Symbol.dispose]();
  late.abort();
  (await second)[Symbol.dispose]();
  expect(gate.isEmpty).toBe(true);
});
