import { appendFile, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLocalBus } from '../../../../runtime/adapters/local/bus.ts';
import { frameFileBytesMax } from '../../../../runtime/adapters/local/limits.ts';
import { toConversationKey, toSeq } from '../../../../runtime/timeline/ids.ts';
import { busContract, frame, framed } from '../../../contract/bus.ts';

const signal = new AbortController().signal;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'timeloom-bus-'));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

busContract('the local bus', async () => {
  const bus = await openLocalBus({ dir: join(root, 'contract') });
  return { near: bus, far: bus, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
});

test('frames outlive the bus without a farewell, and a torn last line spoils only itself', async () => {
  const dir = join(root, 'torn');
  const first = await openLocalBus({ dir });
  first.publish(toConversationKey(5), [framed({ number: 1 }), framed({ number: 2 })]);
  await first.flush({ signal });
  await appendFile(join(dir, '5.jsonl'), '\n[{"kind":"delta","after":1,"te');
  await using second = await openLocalBus({ dir });
  second.publish(toConversationKey(5), [framed({ number: 3 })]);
  const kept = await second.frames(toConversationKey(5), toSeq(0), { signal });
  expect(kept).toEqual([frame({ number: 1 }), frame({ number: 2 }), frame({ number: 3 })]);
  await first[Symbol.asyncDispose]();
});

test('a file stays within its limit', async () => {
  const dir = join(root, 'bounded');
  await using bus = await openLocalBus({ dir });
  for (let number = 1; number <= 100; number += 1) {
    bus.publish(toConversationKey(5), [framed({ number, text: 'x'.repeat(100_000) })]);
    await bus.flush({ signal });
  }
  const { size } = await stat(join(dir, '5.jsonl'));
  expect(size).toBeLessThanOrEqual(frameFileBytesMax);
  const kept = await bus.frames(toConversationKey(5), toSeq(0), { signal });
  expect(kept.at(-1)?.number).toBe(100);
});

test('files that nobody wrote to for a week are removed', async () => {
  const dir = join(root, 'old');
  const first = await openLocalBus({ dir });
  await first[Symbol.asyncDispose]();
  for (const name of ['1.jsonl', '2.jsonl']) await writeFile(join(dir, name), '');
  await utimes(join(dir, '1.jsonl'), 0, 0);
  await using _bus = await openLocalBus({ dir });
  expect(await readdir(dir)).toEqual(['2.jsonl']);
});

test('a disk that fails loses frames, not the publisher', async () => {
  const dir = join(root, 'failing');
  await using bus = await openLocalBus({ dir });
  await rm(dir, { recursive: true });
  bus.publish(toConversationKey(5), [framed()]);
  await bus.flush({ signal });
  expect(await bus.frames(toConversationKey(5), toSeq(0), { signal })).toEqual([]);
});

test('a directory that cannot be made says so', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(openLocalBus({ dir: join(root, 'file', 'bus') })).rejects.toMatchObject({
    code: 'DATA_DIR_UNWRITABLE',
  });
});
