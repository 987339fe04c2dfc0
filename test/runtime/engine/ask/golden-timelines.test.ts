import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { replay } from '../../../../runtime/engine/reply/replay.ts';
import type { AgentSettings } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

const { signal } = new AbortController();

/** A recorded log, and the texts that its hashes name. */
type Golden = { readonly blocks: readonly Block[]; readonly texts: Record<string, string> };

type Script = {
  readonly agent: Partial<AgentSettings>;
  readonly replies: readonly Reply[];
  readonly prompts: readonly string[];
  /** Rounds in the log. */
  readonly rounds: number;
};

const scripts: Record<string, Script> = {
  'a written answer': {
    agent: { answer: 'synthesize' },
    replies: [
      { thinking: 'Add.', call: { tool: 'math.add', input: { a: 2, b: 3 } } },
      { answer: 'sum 5', followups: ['And 3 + 4?'], summary: 'Goal: add. Outcome: 5.' },
      { role: 'answer', answer: 'The sum of 2 and 3 is **5**.' },
      { answer: 'it was 5', summary: 'Goal: recall. Outcome: 5.' },
      { role: 'answer', answer: 'It was **5**.' },
    ],
    prompts: ['What is 2 + 3?', 'What was it?'],
    rounds: 5,
  },
};

const folder = join(import.meta.dirname, '../../../golden/timelines');
const fileOf = (name: string) => join(folder, `${name.replaceAll(' ', '-')}.json`);

/** `TIMELOOM_GOLDEN=write` records the log. Record it again only when the version of a renderer changes. */
async function goldenOf(name: string, script: Script): Promise<Golden> {
  if (process.env['TIMELOOM_GOLDEN'] === 'write') await record(name, await play(script));
  return readGolden(name);
}

const readGolden = async (name: string) =>
  JSON.parse(await readFile(fileOf(name), 'utf8')) as Golden;

async function record(name: string, golden: Golden): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(fileOf(name), `${JSON.stringify(golden, null, 2)}\n`);
}

async function play({ replies, agent, prompts }: Script): Promise<Golden> {
  await using harness = await openHarness(replies, { agent });
  for (const [index, prompt] of prompts.entries()) {
    await harness.say(prompt);
    await harness.closed(index + 1);
  }
  const blocks = await harness.closed(prompts.length);
  const texts: Record<string, string> = {};
  const text = async (hash: string) => {
    const bytes = await harness.engine.blobs.get('dev', hash, { signal });
    texts[hash] = Buffer.from(bytes).toString();
    return texts[hash];
  };
  await replay(blocks, { text });
  return { blocks, texts };
}

/** What a replay of the log finds. */
const replayOf = ({ blocks, texts }: Golden) =>
  replay(blocks, { text: async (hash) => texts[hash] ?? '' });

const outline = ({ blocks }: Golden) =>
  blocks.map(({ type, author, text = '' }) => `${author} ${type} ${text}`);

// proves: timeline.replay, answer.synthesize
test.each(Object.entries(scripts))(
  '%s: a recorded log gives the same prompts and blocks again, and its script the same log today',
  async (name, script) => {
    const golden = await goldenOf(name, script);
    const { rounds } = script;
    expect(verify(golden.blocks)).toEqual([]);
    expect(await replayOf(golden)).toEqual({ prompts: rounds, replies: rounds, unrecorded: 0 });
    expect(outline(await play(script))).toEqual(outline(golden));
  },
);

// proves: timeline.replay
test('a written answer that was recorded differently from its reply is found', async () => {
  const { blocks, texts } = await readGolden('a written answer');
  const call = blocks.find(({ type, data }) => type === 'model.call' && roleOf(data) === 'answer');
  const changed = { ...texts, [call?.blob?.hash ?? '']: 'The sum is 6.' };
  const { divergence } = await replayOf({ blocks, texts: changed });
  expect(divergence).toMatchObject({
    seq: call?.seq,
    type: 'model.call',
    recorded: 'The sum of 2 and 3 is **5**.',
    now: 'The sum is 6.',
  });
});

const roleOf = (data: unknown) =>
  typeof data === 'object' && data !== null && 'role' in data ? data.role : undefined;
