import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDirectoryBlobStore } from '../../../runtime/adapters/directory/blob-store.ts';
import { openPostgresTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import type { Scope } from '../../../runtime/base/scope.ts';
import type { Chance } from '../../runtime/engine/simulation/chance.ts';
import {
  freePort,
  type Service,
  startPostgres,
  startRedis,
} from '../../tools/services/services.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { openFleetModel } from './fleet-model.ts';
import { ServerProcess } from './server-process.ts';

export type FleetSize = { readonly gateways: number; readonly workers: number };

export type Fleet = {
  readonly gateways: readonly ServerProcess[];
  readonly workers: readonly ServerProcess[];
  readonly postgres: Service;
  readonly redis: Service;
  readonly balancer: Balancer;
  readonly ledger: string;
  /** The truth, read beside the servers. */
  readonly store: Awaited<ReturnType<typeof openPostgresTimelineStore>>;
  readonly blobs: Awaited<ReturnType<typeof openDirectoryBlobStore>>;
};

const noLimit = 1_000_000;
const gatewayYaml = `
admission: { turns_per_worker: 100 }
rate: { user: { per_minute: ${noLimit} } }
`;

/** The built program as a fleet, on a Postgres and a Redis of its own, with a balancer before the gateways. */
export async function openFleet(
  size: FleetSize,
  { chance, scope }: { chance: Chance; scope: Scope },
): Promise<Fleet> {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-fleet-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const [postgres, redis, model] = await Promise.all([
    startPostgres().then((service) => scope.own(service)),
    startRedis().then((service) => scope.own(service)),
    openFleetModel(chance).then((wire) => scope.own(wire)),
  ]);
  const store = scope.own(await openPostgresTimelineStore({ url: postgres.url }));
  const files = join(dir, 'blobs');
  const blobs = await openDirectoryBlobStore(files);
  const ledger = join(dir, 'ledger.jsonl');
  await writeConfiguration(dir, ledger);
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    TIMELOOM_BLOBS: `file:${files}`,
    TIMELOOM_MODEL: 'anthropic:claude-wire',
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: model.anthropicUrl,
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_EXEC_MODE: 'off',
  };
  const start = (command: 'worker' | 'gateway', name: string, port = 0) => {
    const data = join(dir, name);
    const own = { ...env, TIMELOOM_DATA_DIR: data, TIMELOOM_PORT: String(port) };
    return scope.own(new ServerProcess({ command, env: own }));
  };
  const ports = await Promise.all(Array.from({ length: size.gateways }, freePort));
  const gateways = ports.map((port, n) => start('gateway', `gateway-${n}`, port));
  const workers = Array.from({ length: size.workers }, (_, n) => start('worker', `worker-${n}`));
  const balancer = scope.own(await openBalancer(ports));
  await Promise.all([...gateways, ...workers].map(({ ready }) => ready));
  return { gateways, workers, postgres, redis, balancer, ledger, store, blobs };
}

async function writeConfiguration(dir: string, ledger: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const path = join(import.meta.dirname, 'bundle');
  const bundles = { bundles: [{ id: 'fleet', path, props: { ledger } }] };
  // JSON is YAML.
  await writeFile(join(dir, 'bundles.yaml'), JSON.stringify(bundles));
  await writeFile(join(dir, 'gateway.yaml'), gatewayYaml);
}
