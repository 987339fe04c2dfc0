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

const installed = 'select exists (select from pg_extension where extname = $1) as yes';

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

  claim(
    run: Query,
    space: string,
    options: { limit: number; ttlMs: number },
  ): Promise<readonly SnippetToEmbed[]> {
    return claimUnembedded(run, space, options);
  }

  keep(space: string, vectors: readonly SnippetVector[]): Promise<void> {
    return keepVectors(this.#database, space, { vectors, abilities: this.#extensions });
  }
}

export async function findExtensions(database: Database): Promise<Extensions> {
  const has = async (name: string) => toFlag((await database.query(installed, [name]))[0]);
  return { trigrams: await has('pg_trgm'), vectors: await has('vector') };
}
