import { paths } from '../../timeline/paths.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { ConversationRow, TimelineStore } from '../../timeline/ports/store.ts';
import { noteCharsMax, sourcesPerCallMax } from '../limits.ts';
import type { CallServices, ResolvedPath } from '../ports/call-services.ts';
import type { PublishLive } from '../ports/live.ts';
import type { CallContext } from '../ports/tool.ts';
import { cutText } from '../text/cut-text.ts';
import { createDraftCollector } from './draft-collector.ts';
import { createPathReader, type Resolvers } from './path-reader.ts';
import { withQueryVector } from './query-embedding.ts';
import { writeFile } from './turn-files.ts';
import type { TurnLedger } from './turn-ledger.ts';
import { limitedPublish, liveServices } from './turn-live.ts';

type TurnServicesOptions = Pick<
  CallContext,
  'scope' | 'conversation' | 'turn' | 'round' | 'call' | 'view' | 'signal'
> & {
  /** The store's own key of the conversation. */
  readonly key: ConversationRow['key'];
  /** For a call made by a program: the call of the program and the id that the program gave, as clients show it. */
  readonly shown?: { readonly call: CallContext['call']; readonly id: string };
  readonly store: TimelineStore;
  /** Absent: memory is searched by words only. */
  readonly embedder?: Embedder;
  readonly blobs: BlobStore;
  readonly publish: PublishLive;
  /** Shared by all calls of a turn. */
  readonly ledger: TurnLedger;
  /** Resolvers of `sk:` and `ks:` paths. Absent: these paths do not exist. */
  readonly resolvers?: Resolvers;
  readonly limits?: { readonly fileBytes?: number };
  /** For a nested call: files written so far by the outer call and its other nested calls. */
  readonly written?: (path: string) => ResolvedPath | undefined;
};

/** The services of one call; its drafts wait in order for `take`. */
export function createTurnServices(options: TurnServicesOptions): CallServices {
  const collector = createDraftCollector(options);
  const written = (path: string) => collector.file(path) ?? options.written?.(path);
  const publish = limitedPublish(options.publish, collector);
  const parts = { ...options, collector, publish, written };
  const { scope, store, ledger, view } = parts;
  return {
    ...createPathReader(parts),
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
        collector.notice('sources_pool_full', `${refused} sources did not fit into the pool.`);
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
