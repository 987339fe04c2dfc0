import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  parseScript,
  Reply,
  Script,
} from '../../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { answerOf } from '../ask.ts';

const page = readFileSync(
  join(import.meta.dirname, '../../../../../docs/reference/scripted-models.md'),
  'utf8',
);
const samples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1] ?? '');

test('every sample of the reference is a script', () => {
  expect(samples).toHaveLength(4);
  for (const sample of samples) expect(() => parseScript(parse(sample))).not.toThrow();
});

test('the first sample plays to its end', async () => {
  const model = createScriptedModel(parse(samples[0] ?? ''), { id: 'scripted:reference' });
  expect((await answerOf(model, 'Why is checkout slow?')).text).toContain('metrics.query');
  expect((await answerOf(model, 'Why is checkout slow?')).text).toContain('840 ms');
  expect(model.left).toBe(0);
});

test('every key of a script and of a reply is in a table of the reference', () => {
  const documented = new Set(
    [...page.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((row) => row[1]?.match(/[a-z_]+/g) ?? []),
  );
  const keys = [...Object.keys(Script.shape), ...Object.keys(Reply.shape)];
  const undocumented = keys.filter(
    (key) => !documented.has(key) && !['replies', 'exit'].includes(key),
  );
  expect(undocumented).toEqual([]);
  expect(page).toContain('`exit: true`');
});
