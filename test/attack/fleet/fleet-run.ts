import { setTimeout } from 'node:timers/promises';
import { type Client, connect } from 'timeloom/client';
import type { Scope } from '../../../runtime/base/scope.ts';
import { createChance } from '../../runtime/engine/simulation/chance.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { mishapPlan, mishaps } from './mishaps.ts';
import { type Talk, talk } from './talk.ts';
import { faultsOfTalk, readRuns } from './talk-faults.ts';

export type FleetRun = {
  readonly gateways: number;
  readonly workers: number;
  readonly conversations: number;
  /** Conversations that are at work at the same time. */
  readonly atOnce: number;
  readonly mishaps: number;
  /** Between two mishaps, on average. */
  readonly pauseMs: number;
};

type Outcome = {
  readonly talks: readonly Talk[];
  /** The mishaps that happened, in order. */
  readonly caused: readonly string[];
  readonly faults: readonly string[];
};

/** Fewer than one connection follows. */
const conversationsPerClient = 10;

/**
 * Users talk to a fleet while its processes and services fail. From one seed come what they say, what fails and what the
 * model answers; when each of it happens depends on the machine.
 */
export async function runFleet(
  run: FleetRun,
  { seed, scope }: { seed: number; scope: Scope },
): Promise<Outcome> {
  const fleet = await openFleet(run, { chance: createChance(seed), scope });
  const over = new AbortController();
  const failing = fail(fleet, { run, seed: seed + 1, over: over.signal });
  const talks = await talkAll(run, { seed: seed + 2, clients: openClients(fleet, { run, scope }) });
  over.abort();
  const caused = await failing;
  const runs = readRuns(fleet);
  const faults = [...fleet.gateways, ...fleet.workers].flatMap((each) => each.faults);
  for (const each of talks) faults.push(...(await faultsOfTalk(each, { fleet, runs })));
  return { talks, caused, faults };
}

function openClients(
  { balancer }: Fleet,
  { run, scope }: { run: FleetRun; scope: Scope },
): readonly Client[] {
  const count = Math.ceil(run.conversations / conversationsPerClient);
  return Array.from({ length: count }, (_, n) =>
    scope.own(connect({ url: balancer.url, user: `user-${n}` })),
  );
}

async function talkAll(
  { conversations, atOnce }: FleetRun,
  { seed, clients }: { seed: number; clients: readonly Client[] },
): Promise<readonly Talk[]> {
  const talks: Talk[] = [];
  let begun = 0;
  const next = async () => {
    while (begun < conversations) {
      const number = begun;
      begun += 1;
      const own = Math.floor(number / conversationsPerClient);
      const [client, user] = [clients[own], `user-${own}`];
      const chance = createChance(seed + 1_000 * number);
      if (client) talks.push(await talk(client, { user, number, chance }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return talks;
}

async function fail(
  fleet: Fleet,
  { run, seed, over }: { run: FleetRun; seed: number; over: AbortSignal },
): Promise<readonly string[]> {
  const chance = createChance(seed);
  const plan = mishapPlan(chance);
  const caused: string[] = [];
  while (caused.length < run.mishaps) {
    await setTimeout(chance.below(run.pauseMs * 2), undefined, { signal: over }).catch(
      () => 'over',
    );
    if (over.aborted) break;
    const name = plan.next().value;
    caused.push(name);
    // A service that another mishap has stopped cannot be cut off as well.
    await mishaps[name](fleet, chance).catch(() => undefined);
  }
  return caused;
}
