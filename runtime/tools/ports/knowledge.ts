export type KnowledgeHit = {
  readonly path: `ks:${string}`;
  readonly title: string;
  readonly summary?: string;
  readonly score: number;
};

export type KnowledgePage = { readonly mime: string; readonly body: string | Uint8Array };

type AbortOptions = { readonly signal: AbortSignal };

/** Documents of a bundle that are not in the log: found by keyword search, read under `ks:`. */
export interface KnowledgeSpace {
  /** Best first, at most `limit`. */
  search(
    query: string,
    options: AbortOptions & { readonly limit: number },
  ): Promise<readonly KnowledgeHit[]>;
  /** `name` is the part after `ks:`. Undefined if the page does not exist. */
  read(name: string, options: AbortOptions): Promise<KnowledgePage | undefined>;
}
