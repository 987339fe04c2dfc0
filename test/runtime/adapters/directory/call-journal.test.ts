import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDirectoryCallJournal } from '../../../../runtime/adapters/directory/call-journal.ts';
import { tellDoubts } from '../../../../runtime/tools/exec/call-journal.ts';

// proves: exec.in-doubt

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-journal-'));
});
afterAll(() => rm(dir, { recursive: true }));

const intent = (program: string, id: string) =>
  ({ program, id, tool: 'bank.pay', key: `k.${id}`, effects: 'keyed' }) as const;

test('whoever comes later finds what was begun and never settled, in its order', async () => {
  const journal = await openDirectoryCallJournal(dir);
  await Promise.all(['1', '2', '3', '4'].map((id) => journal.intend(intent('tc_a', id))));
  journal.settle(intent('tc_a', '2'));
  await journal.intend(intent('tc_a', '5'));
  const later = await openDirectoryCallJournal(dir);
  const ids = (await later.unsettled('tc_a')).map(({ id }) => id);
  expect(ids).toEqual(['1', '3', '4', '5']);
  await journal.forget('tc_a');
  expect(await later.unsettled('tc_a')).toEqual([]);
  expect(await readdir(dir)).toEqual([]);
});

test('a line that a crash cut short was never waited for', async () => {
  const journal = await openDirectoryCallJournal(dir);
  await journal.intend(intent('tc_b', '1'));
  await appendFile(join(dir, 'tc_b.jsonl'), '{"program":"tc_b","id":"2"');
  expect(await journal.unsettled('tc_b')).toEqual([intent('tc_b', '1')]);
  await journal.forget('tc_b');
});

test('the model is told of effects alone, and of no more than it can read', () => {
  expect(tellDoubts([{ ...intent('a', '1'), effects: 'none' }])).toBe('');
  const many = Array.from({ length: 30 }, (_, n) => intent('a', String(n)));
  expect(tellDoubts(many)).toMatch(/In doubt:[\s\S]*\(call 19, keyed\)\n- and 10 more$/);
});
