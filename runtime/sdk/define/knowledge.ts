import type { KnowledgeHit, KnowledgePage } from '../../tools/ports/knowledge.ts';

export interface Knowledge {
  readonly '~knowledge'?: true;
}

type Folders = {
  /** A git repository: `https://…`, `ssh://…`, `user@host:path`, `file://…`. Empty: folders of the bundle itself. */
  repo: string;
  /** Its tag, branch or commit; default: its default branch. A branch is read again when the bundle loads. */
  ref?: string;
  /** The commit that `ref` must name. */
  commit?: string;
  /** File of the bundle with SSH keys, as `ssh-keygen -Y` reads them: `ref` must be a tag that one of them has signed. */
  signers?: string;
  /** Maps names, the first part of paths, to folders. */
  roots: Readonly<Record<string, string>>;
  /** Whether broken links between pages are reported when the bundle loads. */
  validateRefs?: boolean;
};
type Functions = {
  search(
    query: string,
    options: { limit: number; signal: AbortSignal },
  ): Promise<readonly KnowledgeHit[]>;
  read(path: string, options: { signal: AbortSignal }): Promise<KnowledgePage | undefined>;
};
export type KnowledgeDefinition = Knowledge & { readonly definition: 'knowledge' } & (
    | Folders
    | Functions
  );

/** A body of documents the model may search and read under `ks:`. */
export function defineKnowledge(knowledge: Folders | Functions): Knowledge {
  const definition: KnowledgeDefinition = { definition: 'knowledge', ...knowledge };
  return Object.freeze(definition);
}
