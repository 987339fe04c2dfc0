import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { isJsonObject } from '../../../runtime/base/json.ts';
import { type ChatEvent, connect } from '../../../runtime/client/index.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { verify } from '../../../runtime/timeline/verify/verify.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

// proves: crash.kill, i3.durable-first, i4.pairs, engine.take-over

type Moment = {
  readonly script: string;
  /** Options of the agent. */
  readonly agent?: string;
  isNow(event: ChatEvent): boolean;
};

/** Where in a turn the server dies: none of it ends on its own. */
const moments: Readonly<Record<string, Moment>> = {
  'while the model thinks': {
    script: `- { thinking: "A long thought that takes its time", hold: forever }`,
    isNow: (event) => event.type === 'chat.delta' && event.delta.marker === 'thinking',
  },
  'while a program runs': {
    script: [
      '- thinking: A slow program',
      '  call: { tool: exec_tools.execute_code_python, input: {} }',
      '  code: |',
      '    import time',
      '    print("started", flush=True)',
      '    time.sleep(600)',
    ].join('\n'),
    isNow: (event) => event.type === 'chat.step' && event.event.step === 'chat.exec.output',
  },
  'while the answer streams': {
    script: `- { answer: "${'word '.repeat(200)}{{hold}}and more", hold: forever }`,
    isNow: (event) => event.type === 'chat.delta' && event.delta.marker === 'answer',
  },
  'while another call writes the answer': {
    script: [
      '- { answer: "A draft that nobody sees." }',
      `- { role: answer, answer: "${'word '.repeat(200)}{{hold}}and more", hold: forever }`,
    ].join('\n'),
    agent: 'answer: synthesize',
    isNow: (event) => event.type === 'chat.delta' && event.delta.marker === 'answer',
  },
};
const after = [
  '- { thinking: "Going on", answer: "Here I am again." }',
  '- { role: answer, answer: "Here I am again." }',
].join('\n');

for (const [when, moment] of Object.entries(moments)) {
  test(`a server killed ${when} comes back, keeps what it accepted and ends the turn legally`, async () => {
    await using place = await openPlace();
    await writeFile(place.script, moment.script);
    await place.configure(moment.agent ?? '');
    const conversation = await beginAndKill(place, moment);
    await writeFile(place.script, after);
    const text = await finish(place, conversation);
    expect(text).toBe('Here I am again.');
    const blocks = await place.blocks(conversation);
    expect(verify(blocks)).toEqual([]);
    expect(blocks.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
    const events = blocks.filter(({ event }) => event !== undefined).map(({ text: said }) => said);
    expect(events).toEqual(['Begin', 'and this']);
  });
}

type Place = Awaited<ReturnType<typeof openPlace>>;

async function openPlace() {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-crash-'));
  const script = join(dir, 'script.yaml');
  const env = {
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${script}`,
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_EXEC_MODE: 'process',
  };
  return {
    script,
    env,
    configure: (agent: string) =>
      writeFile(
        join(dir, 'bundles.yaml'),
        `bundles: [{ id: analyst, path: '${resolve('bundles/analyst')}', agents: { analyst: { ${agent} } } }]`,
      ),
    blocks: (conversation: string) => readLog(join(dir, 'data', 'timeline'), conversation),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Sends a prompt, waits for the moment, sends a followup and kills the server. */
async function beginAndKill({ env }: Place, { isNow }: Moment): Promise<string> {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation();
  const turn = await conversation.send('Begin');
  for await (const event of turn.events()) {
    if (isNow(event)) break;
  }
  await turn.followup('and this');
  await server.kill();
  return conversation.id;
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
  const blocks = await store.read(toConversationKey(row?.key ?? 0), {
    after: toSeq(0),
    limit: 10_000,
    signal,
  });
  expect(blocks.every(({ data }) => data === undefined || isJsonObject(data))).toBe(true);
  return blocks;
}
