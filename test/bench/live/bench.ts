import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scope } from '../../../runtime/base/scope.ts';
import { createDatabase, startPostgres, startRedis } from '../../tools/services/services.ts';
import { type Area, type Measured, missing } from '../area.ts';
import type { Figure } from '../figure.ts';
import { acknowledgement, deltas, idleClients, reconnect, type Stage, steer } from './measures.ts';
import { startBare, startModel, startOurs } from './processes.ts';
import { type SlowSizes, slowReaders } from './slow-readers.ts';

export type LiveSizes = {
  readonly messages: number;
  readonly deltas: readonly { streams: number; windowMs: number; rounds: number }[];
  readonly steer: { readonly steers: number; readonly others: number };
  readonly reconnect: { readonly pauses: number; readonly missedMs: number };
  readonly clients: number;
  readonly slow: SlowSizes;
};

const whole: LiveSizes = {
  messages: 200,
  deltas: [{ streams: 100, windowMs: 4_000, rounds: 5 }],
  steer: { steers: 200, others: 20 },
  reconnect: { pauses: 20, missedMs: 1_000 },
  clients: 1_000,
  slow: { conversations: 10, quick: 800, slow: 200, windowMs: 5_000, rounds: 4 },
};

/** What is absent is not measured. */
type SomeSizes = Pick<LiveSizes, 'deltas'> & Partial<LiveSizes>;

/** More streams than two cores can read from a provider in time. */
export const thousandStreams: SomeSizes = {
  deltas: [{ streams: 1_000, windowMs: 8_000, rounds: 1 }],
};

/** A look: its ratios say little. */
export const quickSizes: LiveSizes = {
  messages: 5,
  deltas: [{ streams: 4, windowMs: 500, rounds: 1 }],
  steer: { steers: 3, others: 3 },
  reconnect: { pauses: 2, missedMs: 200 },
  clients: 20,
  slow: { conversations: 1, quick: 4, slow: 2, windowMs: 500, rounds: 1 },
};

/**
 * The live path of the whole program, on Postgres and Redis, beside a bare Socket.IO server: both read the same model with
 * the same library, in processes of their own.
 */
export function benchLive(sizes: SomeSizes = whole): Area {
  return async () => {
    try {
      return await measure(sizes);
    } catch (error) {
      return { figures: [], missing: [missing('live.*', error)] };
    }
  };
}

async function measure(sizes: SomeSizes): Promise<Measured> {
  await using scope = new Scope();
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-live-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const postgres = scope.own(await startPostgres());
  const redis = scope.own(await startRedis());
  const model = await startModel(scope);
  const services = { redisUrl: redis.url, model, dir };
  const [mine, theirs] = [
    await createDatabase(postgres.url, 'ours'),
    await createDatabase(postgres.url, 'bare'),
  ];
  const ours = await startOurs({ ...services, databaseUrl: mine }, scope);
  const bare = await startBare({ ...services, databaseUrl: theirs }, scope);
  const stage: Stage = { ours, bare, model };
  const figures: Figure[] = [];
  const { messages, clients } = sizes;
  if (messages !== undefined) figures.push(...(await acknowledgement(stage, { messages })));
  for (const each of sizes.deltas) figures.push(...(await deltas(stage, each)));
  if (sizes.steer) figures.push(...(await steer(stage, sizes.steer)));
  if (sizes.reconnect) figures.push(...(await reconnect(stage, sizes.reconnect)));
  if (clients !== undefined) figures.push(...(await idleClients(stage, { clients })));
  if (sizes.slow) figures.push(...(await slowReaders(stage, sizes.slow)));
  return { figures };
}
