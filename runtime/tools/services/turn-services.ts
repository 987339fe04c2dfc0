import { paths } from '../../timeline/paths.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { Scope, TimelineStore } from '../../timeline/ports/store.ts';
import type { View } from '../../timeline/view.ts';
import { noteCharsMax, sourcesPerCallMax } from '../limits.ts';
import type { CallServices, Resolved } from '../ports/call-services.ts';
import type { PublishLive } from '../ports/live.ts';
import { cutText } from '../text/cut-text.ts';
import { createCollector } from './draft-collector.ts';
import { createReader, type Resolvers } from './path-reader.ts';
import { withQueryVector } from './query-embedding.ts';
import { writeFile } from './turn-files.ts';
import type { TurnLedger } from './turn-ledger.ts';
import { limitedPublish, liveServices } from './turn-live.ts';

export type TurnServicesOptions = {
  readonly scope: Scope & { readonly user: string };
  /** `conv_…`, and the store's own key of it. */
  readonly conversation: string;
  readonly key: number;
  readonly turn: string;
  readonly round: number;
  readonly call: string;
  /** Of a call that a program makes: how people see it, by the call of the program and the id in it. */
  readonly shown?: { readonly call: string; readonly id: string };
  readonly view: View;
  readonly store: TimelineStore;
  /** Absent: memory is searched by words alone. */
  readonly embedder?: Embedder;
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
  readonly publish: PublishLive;
  /** One for all calls of a turn. */
  readonly ledger: TurnLedger;
  /** Who answers `sk:` and `ks:` paths; absent: nothing there. */
  readonly resolvers?: Resolvers;
  readonly limits?: { readonly fileBytes?: number };
  /** Of a call that another makes: what that has by now, of its own and of others that it made. */
  readonly written?: (path: string) => Resolved | undefined;
};

/** What one call may do to its turn; everything it makes waits in order for `take`. */
export function createTurnServices(options: TurnServicesOptions): CallServices {
  const collector = createCollector(options);
  const written = (path: string) => collector.file(path) ?? options.written?.(path);
  const publish = limitedPublish(options.publish, collector);
  const parts = { ...options, collector, publish, written };
  const { scope, store, ledger, view } = parts;
  return {
    ...createReader(parts),
    ...liveServices(parts),
    writeFile: (file) => writeFile(file, parts),
    addSources: async (rows) => {
      collector.assertOpen();
      const kept = rows.slice(0, sourcesPerCallMax);
      if (kept.length < rows.length) {
        collector.notice('sources_limit', `Only ${sourcesPerCallMax} sources of a call are kept.`);
      }
      const { cited, changed, refused } = ledger.addSources(view.sources, kept);
      if (refused > 0) {
        collector.notice('sources_pool_full', `${refused} sources found no room in the pool.`);
      }
      for (const row of changed) {
        collector.add({
          type: 'source.row',
          author: 'tool',
          path: paths.source(row.sid),
          data: { ...row },
        });
      }
      return cited;
    },
    search: async (query) =>
      store.search(scope, await withQueryVector(query, parts), { signal: parts.signal }),
    turns: (query) => store.turns(scope, query, { signal: parts.signal }),
    note: (text, { tag } = {}) =>
      collector.add({
        type: 'react.note',
        author: 'agent',
        path: paths.note(parts.turn, ledger.nextNote()),
        text: cutText(text.toWellFormed(), noteCharsMax),
        data: tag === undefined ? {} : { tag },
      }),
    notice: (code, text) => collector.notice(code, text),
    nested: (call, { signal, id }) =>
      createTurnServices({ ...options, call, signal, written, shown: { call: options.call, id } }),
    keep: (drafts) => {
      for (const { turn: _, call: __, ...draft } of drafts) collector.add(draft);
    },
    take: () => collector.take(),
  };
}
