/** The JSON Schema of an object, as far as a form needs it. */
export type ObjectSchema = {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
};
export type FieldSchema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
};
