/** One secret of one user, in one bundle. */
export type UserSecretKey = {
  readonly tenant: string;
  readonly project: string;
  readonly user: string;
  readonly bundle: string;
  readonly id: string;
};

/** Values that users set for themselves. They are stored encrypted, and only the bundle reads them. */
export interface UserSecrets {
  /** Undefined if the user has not set it. */
  get(place: UserSecretKey): Promise<string | undefined>;
  set(place: UserSecretKey, value: string): Promise<void>;
  delete(place: UserSecretKey): Promise<void>;
}

/** A value that a user may set for a bundle. */
export type UserSecretEntry = { readonly id: string; readonly description: string };
