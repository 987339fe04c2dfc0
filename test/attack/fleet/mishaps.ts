import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { Chance } from '../../runtime/engine/simulation/chance.ts';
import type { Fleet } from './fleet.ts';
import type { ServerProcess } from './server-process.ts';

const outageMsMax = 3_000;
/** Longer than a lease lasts, at most. */
const freezeMsMax = 14_000;
const cutShare = 0.4;

type Mishap = (fleet: Fleet, chance: Chance) => Promise<unknown>;

export const mishaps = {
  'kill a worker': async ({ workers }, chance) => pick(workers, chance)?.kill(),
  'kill a gateway': async ({ gateways }, chance) => pick(gateways, chance)?.kill(),
  'freeze a worker': async ({ workers }, chance) =>
    pick(workers, chance)?.freeze(chance.below(freezeMsMax)),
  'flush Redis': ({ redis }) => onRedis(redis.url, (client) => client.flushall()),
  'restart Redis': ({ redis }, chance) => restart(redis, chance),
  'restart Postgres': ({ postgres }, chance) => restart(postgres, chance),
  'cut client sockets': async ({ balancer }, chance) =>
    balancer.cut(() => chance.happens(cutShare)),
  'cut connections to Redis': ({ redis }) =>
    onRedis(redis.url, async (client) => {
      await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    }),
  'cut connections to Postgres': ({ postgres }) => cutDatabase(postgres.url),
} satisfies Record<string, Mishap>;
type Name = keyof typeof mishaps;

const names = Object.keys(mishaps) as Name[];
/** Processes die more often than services. */
const frequent: readonly Name[] = ['kill a worker', 'kill a gateway', 'kill a worker'];

/** Each of them once, in an order that the seed decides, then any of them. */
export function* mishapPlan(chance: Chance): Generator<Name, never> {
  const first = [...names];
  while (first.length > 0) yield* first.splice(chance.below(first.length), 1);
  const [one, ...others] = [...frequent, ...names];
  for (;;) yield chance.one([one ?? 'flush Redis', ...others]);
}

function pick(processes: readonly ServerProcess[], chance: Chance): ServerProcess | undefined {
  return processes[chance.below(processes.length)];
}

async function restart(service: Fleet['redis'], chance: Chance): Promise<void> {
  await service.kill();
  await setTimeout(chance.below(outageMsMax));
  await service.start();
}

async function onRedis(url: string, work: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    client.disconnect();
  }
}

async function cutDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and client_port is not null',
    );
  } finally {
    await client.end();
  }
}
