import { Redis } from 'ioredis';
import type { Log } from '../../base/log.ts';
import { commandDeadlineMs, connectDeadlineMs, reconnectPauseMsMax } from './limits.ts';

/**
 * A connection that reconnects on its own. While it is down, commands fail at once instead of queueing up:
 * messages of the bus may be lost, but must not wait or pile up.
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
    if (!lost) log.warn('redis connection lost; signals and frames may be late', { error });
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) log.info('redis connection restored');
    lost = false;
  });
  // The runtime also starts without Redis; the event handler above logs the failure.
  await redis.connect().catch(() => undefined);
  return redis;
}
