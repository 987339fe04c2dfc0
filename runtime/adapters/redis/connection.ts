import { Redis } from 'ioredis';
import type { Log } from '../../base/log.ts';
import { commandDeadlineMs, connectDeadlineMs, reconnectPauseMsMax } from './limits.ts';

/**
 * A connection that comes back by itself. While it is away commands fail at once instead of queueing up:
 * whatever the bus carries may be lost, but must not wait, and must not grow.
 */
export async function connect(url: string, log: Log): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
    commandTimeout: commandDeadlineMs,
    connectTimeout: connectDeadlineMs,
    retryStrategy: (attempt) => Math.min(25 * 2 ** Math.min(attempt, 10), reconnectPauseMsMax),
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    if (!lost) log.warn('redis is lost; signals and frames may come late', { error });
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) log.info('redis is back');
    lost = false;
  });
  // Without Redis the runtime starts all the same; the failure is told by the event above.
  await redis.connect().catch(() => undefined);
  return redis;
}
