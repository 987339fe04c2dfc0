/** An event of AG-UI. */
export type AgUiEvent = { readonly type: string; readonly [field: string]: unknown };

/** A message of AG-UI, as far as this server writes and reads it. */
export type AgUiMessage = {
  readonly id: string;
  readonly role: string;
  content?: unknown;
  readonly [field: string]: unknown;
};
