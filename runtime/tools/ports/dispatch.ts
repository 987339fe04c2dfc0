type Post = {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** Performs calls of functions that a message declares, at an address that the message names and the operator allows. */
export interface Dispatch {
  /** Whether the operator allows the address. */
  allows(url: string): boolean;
  /**
   * Posts one request; redirects are not followed. Refusals: `forbidden` for an address that is not allowed,
   * `address_refused` for a host whose address is private, `too_large`, `dispatch_failed` if there is no answer.
   */
  post(url: string, post: Post): Promise<DispatchResponse>;
}

export type DispatchResponse = {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
};
