export type Param = string | number | boolean | null | readonly (string | null)[];

/** One Postgres, real or embedded. Rows come as plain objects: text as string, int8 as number, null as null. */
export interface Database extends AsyncDisposable {
  /** One statement, one round trip. Fault `STORE_UNAVAILABLE`, or a Defect for a statement the database refuses. */
  query(sql: string, params: readonly Param[]): Promise<readonly unknown[]>;
  /** Several statements without parameters, all or nothing, as long as they take. */
  script(sql: string): Promise<void>;
}
