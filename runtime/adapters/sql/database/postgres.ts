import { Pool, types } from 'pg';
import type { Log } from '../../../base/log.ts';
import type { Database } from './database.ts';
import { toStoreError } from './errors.ts';
import {
  connectDeadlineMs,
  connectionsMax,
  scriptDeadlineMs,
  statementDeadlineMs,
} from './limits.ts';

const int8 = 20;

/** A connection pool to a Postgres server. It connects lazily, so an unreachable server shows at the first statement. */
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
        // A separate timeout for pg; the server's own timeout is lifted within the transaction.
        const text = `set local statement_timeout = 0; ${sql}`;
        const patient = { text, query_timeout: scriptDeadlineMs };
        await pool.query(patient);
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
