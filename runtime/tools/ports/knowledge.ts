export type KnowledgeHit = {
  readonly path: `ks:${string}`;
  readonly title: string;
  readonly summary?: string;
  readonly score: number;
};

export type KnowledgePage = { readonly mime: string; readonly body: string | Uint8Array };

type Waits = { readonly signal: AbortSignal };

/** Documents that a bundle brings, which no log holds: found by words, read under `ks:`. */
export interface KnowledgeSpace {
  /** Best first, at most `limit`. */
  search(
    query: string,
    options: Waits & { readonly limit: number },
  ): Promise<readonly KnowledgeHit[]>;
  /** `name` is what stands behind `ks:`. Undefined: there is no such page. */
  read(name: string, options: Waits): Promise<KnowledgePage | undefined>;
}
