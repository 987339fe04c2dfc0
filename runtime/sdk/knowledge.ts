export interface Knowledge {
  readonly '~knowledge'?: true;
}
type KnowledgeDefinition = Knowledge & { readonly definition: 'knowledge' };

type KnowledgeHit = { path: `ks:${string}`; title: string; summary?: string; score: number };

/** A body of documents the model may search and read under `ks:`. */
export function defineKnowledge(
  knowledge:
    | {
        repo: string;
        ref?: string;
        roots: Readonly<Record<string, string>>;
        validateRefs?: boolean;
      }
    | {
        search(
          query: string,
          options: { limit: number; signal: AbortSignal },
        ): Promise<readonly KnowledgeHit[]>;
        read(
          path: string,
          options: { signal: AbortSignal },
        ): Promise<{ mime: string; body: string | Uint8Array } | undefined>;
      },
): Knowledge {
  const definition: KnowledgeDefinition = { definition: 'knowledge', ...knowledge };
  return Object.freeze(definition);
}
