import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../runtime/client/index.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const Answer = z.looseObject({ status: z.string().optional() });

async function post({ url }: Served, path: string, body: object) {
  const response = await fetch(new URL(`/conversations/dev/dev/${path}`, url), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-timeloom-user': 'ann' },
  });
  return { code: response.status, answer: Answer.parse(await response.json()) };
}

// proves: feedback.durable
test('feedback that was acknowledged is there after a kill -9, is taken once, and opens no turn', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-feedback-'));
  try {
    const script = join(dir, 'script.yaml');
    await writeFile(script, '- { answer: "In Oslo." }\n');
    const env = {
      TIMELOOM_DATA_DIR: join(dir, 'data'),
      TIMELOOM_MODEL: `scripted:${script}`,
      TIMELOOM_EXEC_MODE: 'off',
    };
    const said = { reaction: 'not_ok', text: 'It is \u0000Bergen 👍', message_id: 'm_1' };
    const { turn, first } = await beginAndKill(env, said);
    await using server = await startServe(env);
    const path = `conv_f/turns/${turn}/feedback`;
    const again = await post(server, path, said);
    expect(again).toEqual({ code: 200, answer: { ...first.answer, status: 'duplicate' } });
    const { answer } = await post(server, 'conv_f/turns-with-feedbacks', {});
    const word = { turn_id: turn, reaction: 'not_ok', text: said.text };
    const assistant = { text: 'In Oslo.' };
    expect(answer).toMatchObject({ turns: [{ assistant, feedbacks: [word], reactions: [word] }] });
    const year = { start: '2020-01-01', end: '2999-01-01', include_turns: true };
    const period = await post(server, 'feedback/conversations-in-period', year);
    const counts = { feedback_counts: { total: 1, not_ok: 1 } };
    expect(period.answer).toMatchObject({ items: [{ ...counts, turns: [{ feedbacks: [word] }] }] });
    await using client = connect({ url: server.url, user: 'ann' });
    const blocks = await client.conversation('conv_f').blocks();
    expect(blocks.filter(({ type }) => type === 'turn.open')).toHaveLength(1);
    expect(blocks.filter(({ type }) => type === 'feedback')).toHaveLength(1);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

/** One answered turn, a word on it, and the server dies as soon as the word is acknowledged. */
async function beginAndKill(env: Record<string, string>, said: object) {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const turn = await client.conversation('conv_f').send('Where is it?');
  await turn.done();
  const first = await post(server, `conv_f/turns/${turn.id}/feedback`, said);
  await server.kill();
  return { turn: turn.id, first };
}
