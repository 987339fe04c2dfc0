import { Pool, types } from 'pg';
import type { Log } from '../../base/log.ts';
import type { Database } from './database.ts';
import { toStoreError } from './errors.ts';
import { connectDeadlineMs, connectionsMax, statementDeadlineMs } from './limits.ts';

const int8 = 20;

/** A pool of connections to a Postgres server; opened lazily, so a server that is down shows at the first statement. */
export function openPostgres({ url, log }: { url: string; log: Log }): Database {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectDeadlineMs,
    statement_timeout: statementDeadlineMs,
    query_timeout: statementDeadlineMs + connectDeadlineMs,
    application_name: 'timeloom',
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)),
    },
  });
  pool.on('error', (error) =>
    log.warn('idle database connection lost', { error: toStoreError(error) }),
  );
  let closing: Promise<void> | undefined;
  return {
    query: async (sql, params) => {
      try {
        const { rows } = await pool.query<Record<string, unknown>>(sql, [...params]);
        return rows;
      } catch (error) {
        throw toStoreError(error);
      }
    },
    script: async (sql) => {
      try {
        await pool.query(sql);
      } catch (error) {
        throw toStoreError(error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      closing ??= pool.end();
      await closing;
    },
  };
}
