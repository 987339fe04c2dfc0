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

type PostgresOptions = {
  readonly url: string;
  readonly log: Log;
  /** Statements that every connection parses once, by name. Other statements are planned for the values of each query. */
  readonly prepared?: Readonly<Record<string, string>>;
};

/** A connection pool to a Postgres server. It connects lazily, so an unreachable server shows at the first statement. */
export function openPostgres({ url, log, prepared = {} }: PostgresOptions): Database {
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
  const names = new Map(Object.entries(prepared).map(([name, text]) => [text, name]));
  let closing: Promise<void> | undefined;
  return {
    query: async (sql, params) => {
      const name = names.get(sql);
      const statement = { text: sql, values: [...params] };
      try {
        const { rows } = await pool
          .query<Row>(name === undefined ? statement : { ...statement, name })
          .catch((error: unknown) => {
            if (name === undefined || !isUnprepared(error)) throw error;
            names.clear();
            log.warn('prepared statements are not used any more', { error: toStoreError(error) });
            return pool.query<Row>(statement);
          });
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

type Row = Record<string, unknown>;

/**
 * A pooler between us and the server has changed the connection (26000, 42P05), or a migration the columns of a result
 * (0A000). Nothing has run.
 */
function isUnprepared(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '26000' || code === '42P05' || code === '0A000';
}
