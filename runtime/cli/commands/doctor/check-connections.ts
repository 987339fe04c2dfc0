import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { connect } from '../../../adapters/redis/connection.ts';
import type { S3Location } from '../../../adapters/s3/objects.ts';
import { openPostgres } from '../../../adapters/sql/database/postgres.ts';
import { Fault } from '../../../base/fault.ts';
import { makeFolder } from '../../../base/folders.ts';
import { silentLog } from '../../../base/log.ts';
import type { Config } from '../../config/config.ts';
import { localUrl } from '../../server/local-url.ts';
import { type Finding, runCheck } from './doctor-finding.ts';

const healthDeadlineMs = 2_000;
const s3DeadlineMs = 10_000;
const Health = z.object({ version: z.string(), uptime_s: z.number() });

/** Checks data directory, port, database, Redis and S3 by using each of them. */
export async function checkConnections(config: Config): Promise<readonly Finding[]> {
  const { blobs, databaseUrl, redisUrl } = config;
  const unset = (name: string) => `; start it, correct ${name}, or remove ${name}`;
  return [
    await runCheck('data', () => write(config)),
    await runCheck('port', () => listen(config)),
    ...(databaseUrl === undefined
      ? []
      : [await runCheck('database', () => query(databaseUrl), unset('DATABASE_URL'))]),
    ...(redisUrl === undefined
      ? []
      : [await runCheck('redis', () => ping(redisUrl), unset('REDIS_URL'))]),
    ...(blobs === undefined || 'folder' in blobs
      ? []
      : [await runCheck('blobs', () => reach(blobs), unset('TIMELOOM_BLOBS'))]),
  ];
}

async function write({ dataDir }: Config): Promise<string> {
  const probe = join(dataDir, `doctor.${process.pid}`);
  try {
    await makeFolder(dataDir);
    await writeFile(probe, '');
    await rm(probe);
    return dataDir;
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: dataDir }, { cause });
  }
}

async function listen({ host, port }: Config): Promise<string> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return port === 0 ? 'any free port' : `${port} is free`;
  } catch (cause) {
    if (await serves(localUrl({ host, port }))) return `Timeloom is already running on ${port}`;
    throw new Fault('PORT_IN_USE', { because: `${host}:${port}` }, { cause });
  } finally {
    server.close();
  }
}

async function serves(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(healthDeadlineMs);
    const answer = await fetch(`${url}/health`, { signal });
    return Health.safeParse(await answer.json()).success;
  } catch {
    // Another program is listening there.
    return false;
  }
}

async function query(url: string): Promise<string> {
  await using database = openPostgres({ url, log: silentLog });
  await database.query('select 1', []);
  return 'answers';
}

async function reach(place: S3Location): Promise<string> {
  const { openS3BlobStore } = await import('../../../adapters/s3/blob-store.ts');
  await using _store = await openS3BlobStore(place, { signal: AbortSignal.timeout(s3DeadlineMs) });
  return `s3://${place.bucket} answers`;
}

async function ping(url: string): Promise<string> {
  const redis = await connect(url, silentLog);
  try {
    await redis.ping();
    return 'answers';
  } catch (cause) {
    const because = `Redis: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new Fault('STORE_UNAVAILABLE', { because }, { cause });
  } finally {
    redis.disconnect();
  }
}
