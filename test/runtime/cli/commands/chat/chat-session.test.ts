import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chat } from '../../../../../runtime/cli/commands/chat/chat-session.ts';
import { toSeq } from '../../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../../runtime/timeline/paths.ts';
import { openStage, Player, type Stage, scope, signal } from '../../../gateway/stage.ts';

const conversation = 'conv_talk';
let stage: Stage;
let dir: string;
beforeEach(async () => {
  stage = await openStage();
  dir = await mkdtemp(join(tmpdir(), 'timeloom-chat-'));
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

/** A chat whose output is a pipe, or a terminal with or without colours. */
function open(terminal: { isTTY?: boolean; hasColors?: () => boolean } = {}) {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), terminal)];
  let text = '';
  output.on('data', (chunk) => {
    text += String(chunk);
  });
  const done = chat({ url: stage.gateway.url, conversation }, { input, output, signal });
  return { input, done, shown: () => text };
}

async function blocks() {
  const row = await stage.deps.store.find(scope, conversation, { signal });
  return row ? stage.deps.store.read(row.key, { after: toSeq(0), limit: 100, signal }) : [];
}

/** Resolves with a player when the message has opened a turn. */
async function player(): Promise<Player> {
  await expect.poll(async () => (await blocks()).length).toBeGreaterThan(0);
  return Player.take(stage.deps, conversation);
}

// proves: cli.chat-commands
test('/steer redirects the turn, and /stop ends it', async () => {
  const talk = open();
  talk.input.write('Review everything\n');
  const turn = await player();
  talk.input.write('/steer only the last hour\n');
  talk.input.write('/steer\n');
  await expect.poll(talk.shown).toContain('/steer needs a text');
  talk.input.write('/stop\n');
  const steers = async () => (await blocks()).filter(({ type }) => type === 'external.steer');
  await expect.poll(steers).toMatchObject([{ text: 'only the last hour' }, { text: '' }]);
  await turn.close('Stopped.');
  talk.input.end();
  expect(await talk.done).toBe(0);
});

// proves: cli.chat-commands
test('a delivered file is listed by /files and saved by /save, but never over another one', async () => {
  const talk = open();
  talk.input.write('Write a report\n');
  const turn = await player();
  await turn.append({
    type: 'artifact.file',
    author: 'tool',
    path: toBlockPath(`fi:${turn.turn}.outputs/report.md`),
    mime: 'text/markdown',
    text: 'The report.',
    data: { filename: 'report.md', size: 11, visibility: 'external' },
  });
  await turn.close('Done.');
  await expect.poll(talk.shown).toContain('file  1  report.md, 11 bytes');
  const target = join(dir, 'saved.md');
  talk.input.write(`/files\n/save 1 ${target}\n/cost\n`);
  await expect.poll(talk.shown).toMatch(/files {2}1 {2}report\.md, 11 bytes/);
  await expect.poll(talk.shown).toContain(`saved as ${target}`);
  await expect.poll(talk.shown).toMatch(/cost {2}.* · 17 tokens · 17 % cached · \$0\.0100\n/);
  expect(await readFile(target, 'utf8')).toBe('The report.');
  await writeFile(target, 'mine');
  talk.input.end(`/save 1 ${target}\n`);
  expect(await talk.done).toBe(0);
  expect(talk.shown()).toContain('choose another place with /save 1 PATH');
  expect(await readFile(target, 'utf8')).toBe('mine');
});

// proves: cli.colours
test.each([
  ['a terminal', { isTTY: true, hasColors: () => true }, true],
  ['a terminal without colours, or with NO_COLOR', { isTTY: true, hasColors: () => false }, false],
  ['a pipe', {}, false],
])('the output of %s', async (_, terminal, hasColours) => {
  const talk = open(terminal);
  talk.input.write('Hello\r\n');
  const turn = await player();
  await turn.delta('answer', '# Good\n\n**morning**, `Ann`.\n');
  await turn.append({
    type: 'assistant.completion',
    author: 'agent',
    path: toBlockPath(`ar:${turn.turn}.assistant.completion.1`),
    text: '# Good\n\n**morning**, `Ann`.\n',
    data: { stream: `${turn.turn}.1.answer.1`, n: 1, degraded: false },
  });
  await turn.close('Good morning.');
  await expect.poll(talk.shown).toContain('tokens');
  const sequences = talk.shown().split('\u001b[').slice(1);
  expect(sequences.some((each) => /^[\d;]*m/.test(each))).toBe(hasColours);
  expect(talk.shown()).toContain('morning');
  expect(talk.shown().includes('›')).toBe('isTTY' in terminal);
  talk.input.end();
  expect(await talk.done).toBe(0);
});
