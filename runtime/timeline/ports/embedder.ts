/** Turns texts into vectors of one space: texts with similar meaning have vectors that are close to each other. */
export interface Embedder {
  /** The name of the space, `<provider>:<model>`; vectors of different spaces are never compared. */
  readonly space: string;
  /** One vector for each text, in order. The same faults as models; `EMBEDDING_INVALID` for an invalid response. */
  embed(
    texts: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}
