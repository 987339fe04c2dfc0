import type {
  Sender,
  Snippet,
  SnippetQuery,
  SnippetToEmbed,
  SnippetVector,
  TurnPage,
  TurnQuery,
} from '../../../timeline/ports/store.ts';
import type { Database } from '../database/database.ts';
import { toFlag } from '../rows/rows.ts';
import { claimUnembedded, keepVectors } from './embeddings.ts';
import { searchSnippets } from './search.ts';
import type { Extensions, Query } from './search-scope.ts';
import { listTurns } from './turns.ts';
import { placeVectors } from './vector-index.ts';

/** pgvector before 0.8 leaves out results that a filter removes. */
const installed = `select exists (select from pg_extension where extname = $1
  and string_to_array(split_part(extversion, '-', 1), '.')::int[] >= $2::int[]) as yes`;

/** Search in the log, using the extensions that the database has. */
export class SqlMemory {
  readonly #database: Database;
  readonly #extensions: Extensions;

  constructor(database: Database, abilities: Extensions) {
    this.#database = database;
    this.#extensions = abilities;
  }

  search(run: Query, sender: Sender, query: SnippetQuery): Promise<readonly Snippet[]> {
    return searchSnippets(run, { sender, query, abilities: this.#extensions });
  }

  turns(run: Query, sender: Sender, query: TurnQuery): Promise<TurnPage> {
    return listTurns(run, sender, query);
  }

  /** When nothing is left to embed, vectors from before pgvector was installed are moved into its index. */
  async claim(
    run: Query,
    space: string,
    options: { limit: number; ttlMs: number },
  ): Promise<readonly SnippetToEmbed[]> {
    const claimed = await claimUnembedded(run, space, options);
    if (claimed.length === 0 && this.#extensions.vectors) await placeVectors(this.#database, space);
    return claimed;
  }

  keep(space: string, vectors: readonly SnippetVector[]): Promise<void> {
    return keepVectors(this.#database, space, vectors);
  }
}

export async function findExtensions(database: Database): Promise<Extensions> {
  const has = async (name: string, version: string) =>
    toFlag((await database.query(installed, [name, version]))[0]);
  return { trigrams: await has('pg_trgm', '{1,0}'), vectors: await has('vector', '{0,8}') };
}
