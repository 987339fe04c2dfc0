import { Pool, types } from 'pg';
import type { Log } from '../../../base/log.ts';
import type { Database } from './database.ts';
import { toStoreError } from './errors.ts';
import {
  connectDeadlineMs,
  connectionsMax,
  reservedConnectionsMax,
  scriptDeadlineMs,
  statementDeadlineMs,
} from './limits.ts';

const int8 = 20;

type PostgresOptions = {
  readonly url: string;
  readonly log: Log;
  /** Statements that every connection parses once, by name. Other statements are planned for the values of each query. */
  readonly prepared?: Readonly<Record<string, string>>;
  /** Statements that must not wait behind others. They have connections of their own. */
  readonly urgent?: readonly string[];
};

/** A connection pool to a Postgres server. It connects lazily, so an unreachable server shows at the first statement. */
export function openPostgres({ url, log, prepared = {}, urgent = [] }: PostgresOptions): Database {
  const pool = openPool(url, log, connectionsMax);
  const reserved = openPool(url, log, reservedConnectionsMax);
  const poolOf = (sql: string) => (urgent.includes(sql) ? reserved : pool);
  const names = new Map(Object.entries(prepared).map(([name, text]) => [text, name]));
  let closing: Promise<unknown> | undefined;
  return {
    query: async (sql, params) => {
      const name = names.get(sql);
      const statement = { text: sql, values: [...params] };
      const connections = poolOf(sql);
      try {
        const { rows } = await connections
          .query<Row>(name === undefined ? statement : { ...statement, name })
          .catch((error: unknown) => {
            if (name === undefined || !isUnprepared(error)) throw error;
            names.clear();
            log.warn('prepared statements are not used any more', { error: toStoreError(error) });
            return connections.query<Row>(statement);
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
      closing ??= Promise.all([pool.end(), reserved.end()]);
      await closing;
    },
  };
}

type Row = Record<string, unknown>;

function openPool(connectionString: string, log: Log, max: number): Pool {
  const pool = new Pool({
    connectionString,
    max,
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
  return pool;
}

/**
 * A pooler between us and the server has changed the connection (26000, 42P05), or a migration the columns of a result
 * (0A000). Nothing has run.
 */
function isUnprepared(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '26000' || code === '42P05' || code === '0A000';
}
