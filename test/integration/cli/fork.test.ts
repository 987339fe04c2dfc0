import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../runtime/client/index.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openPlace, type Place } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const Forked = z.object({ conversation: z.string() });

let place: Place;
/** Goes on with what it finds in the data directory, where a fork was made before it started. */
let server: Served;
let conversation = '';
let early = '';
beforeAll(async () => {
  place = await openPlace();
  {
    await using first = await startServe(place.env);
    conversation = await say({ url: first.url, text: 'Hello?' });
  }
  const forked = await place.run(['timeline', 'fork', conversation, '--json']);
  expect([forked.code, forked.stderr]).toEqual([0, '']);
  ({ conversation: early } = Forked.parse(JSON.parse(forked.stdout)));
  server = await startServe(place.env);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

type Said = { readonly url: string; readonly id?: string; readonly text: string };

async function say({ url, id, text }: Said): Promise<string> {
  await using client = connect({ url, user: 'ann' });
  const opened = client.conversation(id);
  expect((await (await opened.send(text)).done()).text).toBe('Hello.');
  return opened.id;
}

const run = (...args: string[]) => place.run(['timeline', ...args]);

test('timeline fork makes a conversation that the same user goes on with', async () => {
  expect(await say({ url: server.url, id: early, text: 'And here?' })).toBe(early);
  expect(await run('verify', early)).toMatchObject({ code: 0, stderr: '' });
  const shown = await run('show', early);
  expect(shown.stdout).toContain('Hello?');
  expect(shown.stdout).toContain('And here?');
  expect((await run('show', conversation)).stdout).not.toContain('And here?');
});

// proves: cli.through-server
test('while a server holds the data directory, what looks at a timeline goes through it', async () => {
  await say({ url: server.url, id: conversation, text: 'Still there?' });
  const shown = await place.runApart(['timeline', 'show', conversation]);
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
  const middle = await run('fork', conversation, '--at', '2');
  expect(middle.code).toBe(0);
  expect(middle.stdout).toMatch(
    /^conv_\w+ continues from block 2; the turn that is open there ends/,
  );
  const beyond = await run('fork', conversation, '--at', '999');
  expect([beyond.code, beyond.stdout]).toEqual([1, '']);
  expect(beyond.stderr).toMatch(/--at: must be between 1 and \d+/);
});
