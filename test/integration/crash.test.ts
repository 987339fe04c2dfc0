import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPgliteTimelineStore } from '../../runtime/adapters/sql/open.ts';
import { isJsonObject } from '../../runtime/base/json.ts';
import { connect } from '../../runtime/client/index.ts';
import type { Block } from '../../runtime/timeline/block.ts';
import { verify } from '../../runtime/timeline/verify/verify.ts';
import { startServe } from '../tools/serve.ts';

// proves: crash.kill, i3.durable-first, i4.pairs, engine.take-over

/** Where in a turn the server dies: while the model thinks, while a program runs, while the answer streams. */
const scripts = {
  'while the model thinks': `- { thinking: "A long thought that takes its time", hold: forever }`,
  'while a program runs': [
    '- thinking: A slow program',
    '  call: { tool: exec_tools.execute_code_python, input: {} }',
    '  code: |',
    '    import time',
    '    print("started", flush=True)',
    '    time.sleep(30)',
  ].join('\n'),
  'while the answer streams': `- { answer: "${'word '.repeat(400)}", chunk: 4, delay_ms: 5 }`,
};
const after = '- { thinking: "Going on", answer: "Here I am again." }';

for (const [moment, script] of Object.entries(scripts)) {
  test(`a server killed ${moment} comes back, keeps what it accepted and ends the turn legally`, async () => {
    await using place = await openPlace();
    await writeFile(place.script, script);
    const { conversation, followup } = await beginAndKill(place);
    await writeFile(place.script, after);
    const text = await finish(place, conversation);
    expect(text).toBe('Here I am again.');
    const blocks = await place.blocks(conversation);
    expect(verify(blocks)).toEqual([]);
    expect(blocks.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
    const events = blocks.filter(({ event }) => event !== undefined).map(({ text: said }) => said);
    expect(events).toEqual(['Begin', ...(followup ? ['and this'] : [])]);
  });
}

type Place = Awaited<ReturnType<typeof openPlace>>;

async function openPlace() {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-crash-'));
  const script = join(dir, 'script.yaml');
  const env = {
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${script}`,
    TIMELOOM_BUNDLES: 'bundles/analyst',
    TIMELOOM_EXEC_MODE: 'process',
  };
  return {
    script,
    env,
    blocks: (conversation: string) => readLog(join(dir, 'data', 'timeline'), conversation),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Sends a prompt and a followup, waits until something is under way, and kills the server. */
async function beginAndKill({ env }: Place) {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation();
  const turn = await conversation.send('Begin');
  for await (const event of turn.events()) {
    if (event.type === 'chat.delta' && event.delta.text !== '') break;
  }
  await turn.followup('and this');
  await server.kill();
  return { conversation: conversation.id, followup: true };
}

async function finish({ env }: Place, id: string): Promise<string> {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  for await (const event of client.conversation(id).events()) {
    if (event.type === 'chat.complete') return event.data.text;
    if (event.type === 'chat.error') return event.data.message;
  }
  return 'the stream ended';
}

async function readLog(dir: string, id: string): Promise<readonly Block[]> {
  await using store = await openPgliteTimelineStore({ dir });
  const { signal } = new AbortController();
  const row = await store.find({ tenant: 'dev', project: 'dev' }, id, { signal });
  expect(row).toBeDefined();
  const blocks = await store.read(row?.key ?? 0, { after: 0, limit: 10_000, signal });
  expect(blocks.every(({ data }) => data === undefined || isJsonObject(data))).toBe(true);
  return blocks;
}
