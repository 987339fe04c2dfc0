import type { Block } from '../../../../runtime/timeline/block.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { faultsOf } from './checks.ts';
import { chat, type Sent } from './clients.ts';
import { Followers } from './followers.ts';
import { policyFaults } from './loop-policies.ts';
import { visibilityFaults } from './many-tools.ts';
import { scope } from './messages.ts';
import { attend } from './person.ts';
import { childrenIn, planFaults } from './plans.ts';
import { streamFaults } from './streams.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

const conversations = ['conv_one', 'conv_two'];
const restWithinMs = 2 * 3_600_000;
const stepMs = 500;
const { signal } = new AbortController();

/** The faults, each with its seed. */
export async function play(
  seed: number,
  {
    look = () => undefined,
    timing = false,
    many = false,
    answer = 'inline',
    bundles = false,
    anyProtocol = false,
    plans = false,
  }: { look?: (blocks: readonly Block[]) => void } & Partial<WorldOptions> = {},
): Promise<readonly string[]> {
  const world = openWorld(seed, { timing, many, answer, bundles, anyProtocol, plans });
  const talks = new Map<string, readonly Sent[]>();
  let ended = false;
  for (const id of conversations) {
    void chat(world, id).then((sent) => talks.set(id, sent));
    void attend(world, id, () => ended);
  }
  await using followers = new Followers(world, {
    seed,
    conversations: timing ? conversations : [],
  });
  const rested = await rest(world, {
    over: () => talks.size === conversations.length,
    stepped: () => followers.look(),
  });
  ended = true;
  const wrong = [
    ...world.defects,
    ...followers.faults,
    ...(rested ? [] : ['it did not come to rest']),
  ];
  for (const [id, sent] of talks) {
    const blocks = await logOf(world, id);
    look(blocks);
    const [first] = blocks;
    const row = first && (await world.store.find(scope, id, { signal }));
    if (row) wrong.push(...streamFaults(id, blocks, await world.frames(row.key)));
    wrong.push(...visibilityFaults(blocks));
    if (bundles) wrong.push(...policyFaults(blocks, world));
    wrong.push(...faultsOf(blocks, { sent, runs: world.runs, prompts: world.prompts }));
  }
  const logs = await familyOf(world);
  for (const [id, blocks] of logs) {
    wrong.push(...planFaults(blocks, logs));
    if (conversations.includes(id)) continue;
    look(blocks);
    wrong.push(...faultsOf(blocks, { sent: [], runs: world.runs, prompts: world.prompts }));
  }
  await world.close();
  return wrong.map((what) => `seed ${seed}: ${what}`);
}

/** Lets time pass until no work is left. */
async function rest(
  world: World,
  { over, stepped }: { over: () => boolean; stepped: () => Promise<void> },
): Promise<boolean> {
  const endMs = world.clock.now() + restWithinMs;
  while (world.clock.now() < endMs) {
    await world.clock.advance(stepMs);
    await stepped();
    if (over() && !world.busy() && (await isQuiet(world))) return true;
  }
  return false;
}

/** The logs of the conversations and of all agents that work for them, by name. */
async function familyOf(world: World): Promise<ReadonlyMap<string, readonly Block[]>> {
  const logs = new Map<string, readonly Block[]>();
  const waiting = [...conversations];
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const blocks = await logOf(world, id);
    logs.set(id, blocks);
    waiting.push(...childrenIn(blocks));
  }
  return logs;
}

async function isQuiet(world: World): Promise<boolean> {
  return (
    (await areQuiet(world, conversations)) && areQuiet(world, [...(await familyOf(world)).keys()])
  );
}

async function areQuiet({ store }: World, names: readonly string[]): Promise<boolean> {
  const rows = await Promise.all(names.map((id) => store.find(scope, id, { signal })));
  return rows.every((row) => !row || (row.openTurn === undefined && row.reactive <= row.answered));
}

async function logOf({ store }: World, id: string): Promise<readonly Block[]> {
  const row = await store.find(scope, id, { signal });
  return row ? store.read(row.key, { after: toSeq(0), limit: 100_000, signal }) : [];
}
