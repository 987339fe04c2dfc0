/** Says what texts mean, as vectors of one space: texts that mean the same are near each other. */
export interface Embedder {
  /** Names the space, `<provider>:<model>`; vectors of two spaces are never compared. */
  readonly space: string;
  /** One vector for each text, in order. Faults as models have them; `EMBEDDING_INVALID` for an answer that does not fit. */
  embed(
    texts: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}
