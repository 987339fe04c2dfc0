import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../runtime/client/index.ts';
import { startServe } from '../tools/serve.ts';
import { openPlace, type Place } from './cli-place.ts';

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

test('a fork in the middle of a turn says that it will be ended; one beyond the log is refused', async () => {
  const middle = await place.run(['timeline', 'fork', conversation, '--at', '2']);
  expect(middle.code).toBe(0);
  expect(middle.stdout).toMatch(/^conv_\w+ goes on from block 2; the turn open there ends/);
  const beyond = await place.run(['timeline', 'fork', conversation, '--at', '999']);
  expect([beyond.code, beyond.stdout]).toEqual([1, '']);
  expect(beyond.stderr).toMatch(/--at: 1 to \d+/);
});
