import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../runtime/client/index.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openPlace, type Place } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const Forked = z.object({ conversation: z.string() });

let place: Place;
let conversation = '';
beforeAll(async () => {
  place = await openPlace();
  conversation = await say(undefined, 'Hello?');
});
afterAll(() => place[Symbol.asyncDispose]());

async function say(id: string | undefined, text: string): Promise<string> {
  await using server = await startServe(place.env);
  await using client = connect({ url: server.url, user: 'ann' });
  const opened = client.conversation(id);
  expect((await (await opened.send(text)).done()).text).toBe('Hello.');
  return opened.id;
}

test('timeline fork makes a conversation that the same user goes on with', async () => {
  const forked = await place.run(['timeline', 'fork', conversation, '--json']);
  expect([forked.code, forked.stderr]).toEqual([0, '']);
  const { conversation: fork } = Forked.parse(JSON.parse(forked.stdout));
  expect(await say(fork, 'And here?')).toBe(fork);
  const verified = await place.run(['timeline', 'verify', fork]);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  const shown = await place.run(['timeline', 'show', fork]);
  expect(shown.stdout).toContain('Hello?');
  expect(shown.stdout).toContain('And here?');
  expect((await place.run(['timeline', 'show', conversation])).stdout).not.toContain('And here?');
});

// proves: cli.through-server
test('while a server holds the data directory, what looks at a timeline goes through it', async () => {
  await using server = await startServe(place.env);
  await using client = connect({ url: server.url, user: 'ann' });
  const talk = client.conversation(conversation);
  await (await talk.send('Still there?')).done();
  const run = (...args: string[]) => place.run(['timeline', ...args]);
  const shown = await run('show', conversation);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain('Still there?');
  expect(await run('verify', conversation)).toMatchObject({ code: 0, stderr: '' });
  expect(await run('replay', conversation)).toMatchObject({ code: 0, stderr: '' });
  expect((await run('render', conversation)).stdout).toContain('Still there?');
  expect((await run('cache', conversation)).stdout).toMatch(/^calls: 2,/);
  const forked = await run('fork', conversation, '--json');
  const { conversation: fork } = Forked.parse(JSON.parse(forked.stdout));
  expect((await run('show', fork)).stdout).toContain('Still there?');
  const unknown = await run('show', 'conv_x');
  expect([unknown.code, unknown.stdout]).toEqual([1, '']);
  expect(unknown.stderr).toContain('conversation conv_x not found');
});

test('a fork in the middle of a turn says that it will be ended; one beyond the log is refused', async () => {
  const middle = await place.run(['timeline', 'fork', conversation, '--at', '2']);
  expect(middle.code).toBe(0);
  expect(middle.stdout).toMatch(
    /^conv_\w+ continues from block 2; the turn that is open there ends/,
  );
  const beyond = await place.run(['timeline', 'fork', conversation, '--at', '999']);
  expect([beyond.code, beyond.stdout]).toEqual([1, '']);
  expect(beyond.stderr).toMatch(/--at: must be between 1 and \d+/);
});
