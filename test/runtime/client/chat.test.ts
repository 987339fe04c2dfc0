import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chat } from '../../../runtime/cli/commands/chat/chat-session.ts';
import { toCallId, toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import { openStage, Player, type Stage, scope, signal } from '../gateway/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

function open(options: { terminal?: boolean; conversation?: string; timeoutMs?: number } = {}) {
  const { terminal = false, conversation = 'conv_talk', timeoutMs = 30_000 } = options;
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = '';
  const waiting = new Set<() => void>();
  output.on('data', (chunk) => {
    text += stripVTControlCharacters(String(chunk));
    for (const check of waiting) check();
  });
  const quit = new AbortController();
  const done = chat(
    { url: stage.gateway.url, conversation, timeoutMs },
    { input, output, signal: quit.signal, terminal },
  );
  const shows = (part: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!text.includes(part)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { input, done, shows, quit, shown: () => text };
}

/** The log of the conversation. */
async function talkBlocks() {
  const row = await stage.deps.store.find(scope, 'conv_talk', { signal });
  const key = toConversationKey(row?.key ?? 0);
  return await stage.deps.store.read(key, { after: toSeq(0), limit: 100, signal });
}

/** Resolves when the gateway has accepted the next event. */
async function accepted(): Promise<void> {
  await new Promise<void>((resolve) => {
    const tie = stage.deps.bus.onWake(() => {
      tie[Symbol.dispose]();
      resolve();
    });
  });
}

// proves: cli.chat
test('channels stream under their labels; a line typed during a turn is a followup, !text a steer', async () => {
  const talk = open();
  const first = accepted();
  talk.input.write('How many?\n');
  await first;
  const player = await Player.take(stage.deps, 'conv_talk');
  await player.delta('thinking', 'Counting them.');
  await talk.shows('thinking  Counting them.');
  const second = accepted();
  talk.input.write('and the small ones?\n');
  await second;
  const third = accepted();
  talk.input.write('!only the small ones\n');
  await third;
  await player.delta('answer', 'Three.');
  await talk.shows('answer  Three.');
  await player.close('Three.');
  talk.input.end();
  expect(await talk.done).toBe(0);
  const blocks = await talkBlocks();
  const said = blocks
    .filter(({ author }) => author === 'user')
    .map(({ type, text }) => `${type} ${text}`);
  expect(said).toEqual([
    'user.prompt How many?',
    'external.followup and the small ones?',
    'external.steer only the small ones',
  ]);
});

test('lines that arrive together are sent in order, the second as a followup', async () => {
  const talk = open();
  const first = accepted();
  const second = first.then(accepted);
  talk.input.write('How many?\nand the small ones?\n');
  await second;
  const player = await Player.take(stage.deps, 'conv_talk');
  await player.close('Three.');
  talk.input.end();
  expect(await talk.done).toBe(0);
  expect(talk.shown()).not.toContain('refused');
  const blocks = await talkBlocks();
  const said = blocks.filter(({ author }) => author === 'user');
  expect(said.map(({ type, text }) => `${type} ${text}`)).toEqual([
    'user.prompt How many?',
    'external.followup and the small ones?',
  ]);
});

// proves: cli.chat-commands
test('after the answer to a command, the next line is asked for', async () => {
  const talk = open({ terminal: true });
  await talk.shows('› ');
  talk.input.write('/cost\r');
  await talk.shows('cost  ');
  await expect.poll(() => talk.shown()).toMatch(/cost {2}.*\n› $/s);
  talk.quit.abort();
  await talk.done;
});

test('Ctrl-C stops the running turn, and a second Ctrl-C exits', async () => {
  const talk = open({ terminal: true });
  const first = accepted();
  talk.input.write('Go on forever\r');
  await first;
  const player = await Player.take(stage.deps, 'conv_talk');
  await player.delta('thinking', 'Forever and ever');
  await talk.shows('Forever and');
  const stopped = accepted();
  talk.input.write('\x03');
  await stopped;
  await talk.shows('press Ctrl-C again to exit');
  talk.input.write('\x03');
  expect(await talk.done).toBe(0);
});

test('a refusal is shown, and the chat continues', async () => {
  const talk = open();
  talk.input.write('!nothing works yet\n');
  await talk.shows('refused');
  const first = accepted();
  talk.input.write('Hello\n');
  await first;
  talk.quit.abort();
  expect(await talk.done).toBe(0);
});

// proves: cli.chat
test('a message that the server does not accept in time is an error, and the chat continues', async () => {
  await stage.gateway[Symbol.asyncDispose]();
  const talk = open({ timeoutMs: 1 });
  talk.input.write('Hello\n');
  await talk.shows('error  SERVER_UNREACHABLE: the server does not respond');
  talk.input.end('/cost\n');
  await talk.shows('cost');
  expect(await talk.done).toBe(0);
});

test('an earlier conversation is shown again with its messages', async () => {
  const before = open();
  const first = accepted();
  before.input.write('Hello\n');
  await first;
  const player = await Player.take(stage.deps, 'conv_talk');
  await player.append({
    type: 'assistant.completion',
    author: 'agent',
    text: 'Good morning.',
    data: { stream: `${player.turn}.1.answer.1`, n: 1, degraded: false },
  });
  await player.close('Good morning.');
  before.input.end();
  await before.done;
  const after = open();
  await after.shows('you  Hello');
  await after.shows('answer  Good morning.');
  after.quit.abort();
  await after.done;
});

// proves: cli.approval
test('an approval request is shown in the terminal, and y or n decides it', async () => {
  const talk = open();
  const first = accepted();
  talk.input.write('Restart it\n');
  await first;
  const player = await Player.take(stage.deps, 'conv_talk');
  const call = toCallId('tc_1');
  const asked = { request: call, call, tool: 'service.restart', input: { service: 'search' } };
  const more = { title: 'Restart search?', remember: 'once', deadline: '2999-01-01T00:00:00.000Z' };
  await player.append({
    type: 'approval.request',
    author: 'system',
    call,
    path: toBlockPath(`ar:${player.turn}.approval.request.${call}`),
    data: { ...asked, ...more },
  });
  await talk.shows('Restart search?');
  const second = accepted();
  talk.input.write('y\n');
  await second;
  await player.append({
    type: 'approval.close',
    author: 'system',
    call,
    path: toBlockPath(`ar:${player.turn}.approval.close.${call}`),
    data: { request: call, tool: 'service.restart', outcome: 'allowed', remember: 'once' },
  });
  await talk.shows('allowed');
  await player.close('Done.');
  talk.input.end();
  expect(await talk.done).toBe(0);
  const blocks = await talkBlocks();
  const decided = blocks.filter(({ type }) => type === 'approval.decision');
  expect(decided.map(({ data }) => data)).toEqual([{ request: call, allow: true }]);
});

// proves: cli.chat-commands
test('commands begin with a slash: a file goes with the next message, and a wrong command names the nearest', async () => {
  const talk = open();
  talk.input.write('/hepl\n/help\n/attach package.json\n/files\n/save 1\n');
  await talk.shows('did you mean /help?');
  await talk.shows('/steer TEXT');
  await talk.shows('package.json,');
  await talk.shows('no files yet');
  await talk.shows('file 1 does not exist');
  const first = accepted();
  talk.input.write('//etc is a folder?\n');
  await first;
  const player = await Player.take(stage.deps, 'conv_talk');
  await player.close('Yes.');
  talk.input.end();
  expect(await talk.done).toBe(0);
  const blocks = await talkBlocks();
  const said = blocks.filter(({ author }) => author === 'user');
  expect(said.map(({ type, text }) => [type, type === 'user.prompt' ? text : ''])).toEqual([
    ['user.prompt', '/etc is a folder?'],
    ['user.attachment', ''],
  ]);
});
