import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadScript } from '../../../../../runtime/adapters/models/scripted/load-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'scripts-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const file = join(folder, 'script.yaml');
  writeFileSync(file, text);
  return file;
}

// proves: models.scripts
test('a list of replies is a script', () => {
  const { replies, plays } = loadScript(written('- when: /rain/i\n  answer: Wet.\n'));
  expect(replies).toMatchObject([{ when: /rain/i, answer: 'Wet.', role: 'decision' }]);
  expect(plays).toBe('once');
});

test('a script may set its pace', () => {
  expect(loadScript(written('chunk: 3\ndelay_ms: 5\nreplies:\n  - answer: Hi.\n'))).toMatchObject({
    chunk: 3,
    delay_ms: 5,
  });
});

test.each([
  ['- answer: x\n- thinking: y\n  answr: z\n', 'script.yaml:2: reply 2: Unrecognized key'],
  ['replies:\n  - answer: x\n  - call:\n      tool: 3\n', 'script.yaml:4: reply 2, call.tool'],
  ['- answer: [\n', 'script.yaml: '],
  ['', 'script.yaml: script: '],
])('a script that does not fit is refused with its line: %j', (text, message) => {
  expect(() => loadScript(written(text))).toThrow('SCRIPT_INVALID');
  expect(() => loadScript(written(text))).toThrow(message);
});

test('a script that is not there is refused by its name', () => {
  expect(() => loadScript(join(folder, 'none.yaml'))).toThrow('none.yaml cannot be read');
});
