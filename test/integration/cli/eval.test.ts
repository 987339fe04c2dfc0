import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createEvalReports } from '../../../runtime/cli/evals/eval-reports.ts';
import { connect } from '../../../runtime/client/index.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import {
  openModelWire,
  type WireReply,
  type WireRequest,
} from '../../tools/services/model-wire.ts';
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
  const [report] = await createEvalReports([folder]).read();
  expect(report?.cases).toMatchObject([
    { name: 'Hello?', result: { passed: false, before: { passed: true } } },
  ]);
  expect(second.stdout).toContain('the answer lacks “Goodbye”; it is: Hello.');
});

const verdicts = [
  { because: 'It names the year 1878.', meets: true },
  { because: 'It says “1878”, not 1879.', meets: false },
];

/** A model that answers, and one that judges: both over the wire of a provider. */
function provider({ body }: WireRequest): WireReply {
  const sent = JSON.stringify(body);
  if (!sent.includes('You judge one answer')) return { text: ['The bridge opened in 1878.'] };
  const verdict = verdicts[sent.includes('names the year 1879') ? 1 : 0] ?? {};
  const [tool] = Tools.parse(body['tools'] ?? []);
  return tool
    ? { text: [], calls: [{ name: tool.name, input: verdict }] }
    : { text: [JSON.stringify(verdict)] };
}

const Tools = z.array(z.looseObject({ name: z.string() }));

// proves: eval.real-wire
test('agent and judge are models behind a provider, and the judge decides by a structured call', async () => {
  await using place = await openPlace();
  await using wire = await openModelWire(provider);
  const cases = [
    'agent: desk/main',
    'cases:',
    '  - { name: right, input: When?, judge: The answer names the year 1878. }',
    '  - { name: wrong, input: When did it?, judge: The answer names the year 1879. }',
  ];
  await place.write({ 'cases/years.yaml': `${cases.join('\n')}\n` });
  const env = {
    TIMELOOM_MODEL: 'anthropic:claude-test',
    ANTHROPIC_API_KEY: 'a test key',
    ANTHROPIC_BASE_URL: wire.anthropicUrl,
  };
  const { code, stdout, stderr } = await place.run(['eval', join(place.dir, 'cases')], env);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^✓ right \(/m);
  expect(stdout).toMatch(/^✗ wrong \(/m);
  expect(stdout).toContain('judged: It says “1878”, not 1879.');
  const results: unknown = JSON.parse(readFileSync(join(place.dir, 'cases/results.json'), 'utf8'));
  expect(results).toMatchObject({
    model: 'anthropic:claude-test',
    cases: [
      { name: 'right', passed: true },
      { name: 'wrong', passed: false },
    ],
  });
});
