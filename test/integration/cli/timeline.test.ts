import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connect } from '../../../runtime/client/index.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { systemEnv } from '../../tools/system-env.ts';
import { openPlace, type Place } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const program = join(import.meta.dirname, '../../../dist/runtime/cli/main.js');

let place: Place;
/** What looks at a timeline goes through it. */
let server: Served;
let conversation = '';
beforeAll(async () => {
  place = await openPlace();
  server = await startServe(place.env);
  await using client = connect({ url: server.url, user: 'ann' });
  const opened = client.conversation();
  await (await opened.send('Hello?')).done();
  conversation = opened.id;
  for (const user of ['ann', 'bob']) {
    await using own = connect({ url: server.url, user });
    await (await own.conversation('plans').send(`Plans of ${user}`)).done();
  }
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

// proves: cli.timeline-show
test('timeline show prints the blocks, a line each or whole', async () => {
  const lines = await place.run(['timeline', 'show', conversation]);
  expect([lines.code, lines.stderr]).toEqual([0, '']);
  expect(lines.stdout).toMatch(/^ +1 {2}\S+ {2}t1 {3}turn\.open {13}desk\/main\n/);
  for (const line of [
    / t1 {3}assistant\.completion {2}ar:t1\.assistant\.completion\.1 {2}Hello\.\n/,
    / t1 {3}round\.open {12}round 1 · decision · scripted:/,
    / t1 {3}model\.call {12}scripted:\S+ · decision · stop · [\d,]+ in, [\d,]+ out · \d+ ms/,
    / t1 {3}turn\.close {12}completed · [\d,]+ in, [\d,]+ out\n/,
  ])
    expect(lines.stdout).toMatch(line);
  const { stdout } = await place.run(['timeline', 'show', conversation, '--json']);
  const blocks = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; type: string });
  expect(blocks.map(({ seq }) => seq)).toEqual(blocks.map((_, index) => index + 1));
  expect(blocks.at(-1)?.type).toBe('turn.close');
});

// proves: cli.timeline-reply, cli.timeline-list
test('timeline list leads to a conversation, and timeline reply prints what its model wrote', async () => {
  const listed = await place.run(['timeline', 'list', '--user', 'ann']);
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  const row = listed.stdout.split('\n').find((line) => line.includes(conversation));
  expect(row).toMatch(/^\S+Z {2}idle {8,}\d+ {2}conv_\w+ {2}Hello\?$/);
  const json = await place.run(['timeline', 'list', '--user', 'ann', '--json']);
  const ids = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  expect(ids).toContainEqual(expect.objectContaining({ id: conversation, state: 'idle' }));
  const others = await place.run(['timeline', 'list']);
  expect([others.code, others.stdout]).toEqual([0, '']);
  expect(others.stderr).toBe(
    'dev has no conversations in dev/dev; use --user to choose another user\n',
  );

  const reply = await place.run(['timeline', 'reply', conversation]);
  expect([reply.code, reply.stderr]).toEqual([0, '']);
  expect(reply.stdout).toMatch(/<channel:\w+>[\s\S]*Hello\.[\s\S]*<\/channel:\w+>/);
  const facts = await place.run(['timeline', 'reply', conversation, '--json']);
  expect(JSON.parse(facts.stdout)).toMatchObject({ finish: 'stop', text: reply.stdout });
  const early = await place.run(['timeline', 'reply', conversation, '--at', '1']);
  expect([early.code, early.stderr]).toEqual([1, 'no reply is recorded at or before block 1\n']);
});

// proves: conversations.own-ids
test('timeline show takes the conversation of the user that --user names', async () => {
  for (const [user, other] of [
    ['ann', 'bob'],
    ['bob', 'ann'],
  ] as const) {
    const { code, stdout } = await place.run(['timeline', 'show', 'plans', '--user', user]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Plans of ${user}`);
    expect(stdout).not.toContain(`Plans of ${other}`);
  }
  const none = await place.run(['timeline', 'show', 'plans', '--user', 'eve']);
  expect([none.code, none.stdout]).toEqual([1, '']);
});

// proves: cli.pipe
test('a command whose reader leaves ends quietly', async () => {
  for (const args of [['--help'], ['timeline', 'show', conversation, '--json']]) {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...systemEnv(), ...place.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const [stderr] = await Promise.all([readText(child.stderr), once(child, 'close')]);
    expect([args[0], child.exitCode, stderr]).toEqual([args[0], 0, '']);
  }
});
