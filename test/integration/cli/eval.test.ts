import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { connect } from '../../../runtime/client/index.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openPlace } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax });

// proves: eval.run, eval.compares, eval.from-feedback
test('a rated turn becomes a case; the next run of the folder says what it broke', async () => {
  await using place = await openPlace();
  const folder = join(place.dir, 'cases');
  const judge = join(place.dir, 'judge.yaml');
  writeFileSync(
    judge,
    'replies:\n  - { role: small, raw: \'{"because": "It greets.", "meets": true}\' }\n',
  );
  {
    await using server = await startServe(place.env);
    await using client = connect({ url: server.url, user: 'ann' });
    const conversation = client.conversation('rated');
    const turn = await conversation.send('Hello?');
    await turn.done();
    await conversation.feedback(turn.id, { reaction: 'ok' });
  }
  const added = await place.run(['eval', 'add', folder, 'rated', '--user', 'ann']);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const written = readFileSync(added.stdout.trim(), 'utf8');
  expect(written).toContain('input: Hello?');
  expect(written).toMatch(/judge: "?It says in substance the same as: Hello\./);

  const first = await place.run(['eval', folder, '--judge', `scripted:${judge}`]);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^✓ Hello\? \([\d.]+ s, \d+ tokens\)\n\n1 passed, 0 failed\n$/);

  writeFileSync(
    added.stdout.trim(),
    written.replace('checks: {}', 'checks: { contains: Goodbye }'),
  );
  const second = await place.run(['eval', folder, '--judge', `scripted:${judge}`]);
  expect(second.code).toBe(1);
  expect(second.stdout).toContain('broken since the last run');
  expect(second.stdout).toContain('the answer lacks “Goodbye”; it is: Hello.');
});
