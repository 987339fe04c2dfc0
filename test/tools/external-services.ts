import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../../runtime/base/scope.ts';
import { startRedis } from './services/services.ts';
import { openDatabase } from './services/shared-postgres.ts';

export type ServerEnv = Record<string, string> & { DATABASE_URL: string };

/** The settings of a server over Postgres and Redis with a model that follows this script, without programs. */
export async function externalServices(scope: Scope, script: string): Promise<ServerEnv> {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-server-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, 'script.yaml');
  await writeFile(path, script);
  return {
    DATABASE_URL: await openDatabase(),
    REDIS_URL: scope.own(await startRedis()).url,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${path}`,
    TIMELOOM_BUNDLES: 'bundles/analyst',
    TIMELOOM_EXEC_MODE: 'off',
  };
}
