import type { JsonObject } from '../../base/json.ts';

/** A secret that the user sets for a bundle. Its value is never returned. */
export type SecretEntry = {
  readonly id: string;
  readonly description: string;
  readonly set: boolean;
};

/** The props of a bundle that a user sets for themselves. */
export type OwnProps = {
  /** What the user has set. */
  readonly props: JsonObject;
  /** The values of the operator, which apply where the user has set nothing. */
  readonly shared: JsonObject;
  /** The JSON Schema of what can be set. */
  readonly schema: JsonObject;
};

/** What users set for themselves, for each bundle. Methods reject with Refusal `not_found` for an unknown bundle. */
export type ClientAccount = {
  secrets(bundle: string): Promise<readonly SecretEntry[]>;
  /** Available to the next tool call. */
  setSecret(bundle: string, id: string, value: string): Promise<void>;
  deleteSecret(bundle: string, id: string): Promise<void>;
  props(bundle: string): Promise<OwnProps>;
  /** Replaces what the user has set before. Refusal `invalid_input` says what does not fit. */
  setProps(bundle: string, props: JsonObject): Promise<void>;
  /** The operator's values apply again. */
  deleteProps(bundle: string): Promise<void>;
  /**
   * Erases everything that the user has, permanently: conversations, facts, stored values, secrets, props, uploads. `erasing`: it
   * goes on in the background.
   */
  erase(): Promise<'erased' | 'erasing'>;
};
