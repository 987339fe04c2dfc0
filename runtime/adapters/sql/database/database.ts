export type Param = string | number | boolean | null | readonly (string | null)[];

/** A Postgres database, served or embedded. Rows are plain objects: text as string, int8 as number, null as null. */
export interface Database extends AsyncDisposable {
  /** One statement, one round trip. Fault `STORE_UNAVAILABLE`; a Defect if the database rejects the statement. */
  query(sql: string, params: readonly Param[]): Promise<readonly unknown[]>;
  /** Several statements without parameters in one transaction, without a time limit. */
  script(sql: string): Promise<void>;
}
