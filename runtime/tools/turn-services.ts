import { Refusal } from '../base/refusal.ts';
import type { BlobStore } from '../timeline/blobs.ts';
import type { Embedder } from '../timeline/embedder.ts';
import { paths } from '../timeline/paths.ts';
import type { Scope, TimelineStore } from '../timeline/store.ts';
import type { View } from '../timeline/view.ts';
import { openCanvas } from './canvas.ts';
import { type Collector, createCollector } from './collector.ts';
import { cutText, grouped } from './cut.ts';
import { fileName, toTurnFile } from './file-path.ts';
import {
  canvasesPerCallMax,
  fileBytesMax,
  filesPerCallMax,
  liveCharsMax,
  livePiecesPerCallMax,
  noteCharsMax,
  progressCharsMax,
  progressPerCallMax,
  sourcesPerCallMax,
} from './limits.ts';
import type { PublishLive } from './live.ts';
import { mimeOf } from './mime.ts';
import { createReader, type Resolvers } from './reader.ts';
import { withMeaning } from './recall.ts';
import type { CallServices, FileRef, FileWrite, TurnServices } from './services.ts';
import type { TurnLedger } from './turn-ledger.ts';

export type TurnServicesOptions = {
  readonly scope: Scope & { readonly user: string };
  /** `conv_…`, and the store's own key of it. */
  readonly conversation: string;
  readonly key: number;
  readonly turn: string;
  readonly round: number;
  readonly call: string;
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
};

type Parts = TurnServicesOptions & { readonly collector: Collector };

/** What one call may do to its turn; everything it makes waits in order for `take`. */
export function createTurnServices(options: TurnServicesOptions): CallServices {
  const collector = createCollector(options);
  const parts = { ...options, collector, publish: limitedPublish(options.publish, collector) };
  const { scope, store, ledger, view } = parts;
  return {
    ...createReader(parts),
    ...liveServices(parts),
    writeFile: (file) => writeFile(file, parts),
    addSources: (rows) => {
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
      store.search(scope, await withMeaning(query, parts), { signal: parts.signal }),
    turns: (query) => store.turns(scope, query, { signal: parts.signal }),
    note: (text, { tag } = {}) =>
      collector.add({
        type: 'react.note',
        author: 'agent',
        path: paths.note(parts.turn, ledger.nextNote()),
        text: cutText(text.toWellFormed(), noteCharsMax),
        data: tag === undefined ? {} : { tag },
      }),
    nested: (call, { signal }) => createTurnServices({ ...options, call, signal }),
    keep: (drafts) => {
      for (const { turn: _, call: __, ...draft } of drafts) collector.add(draft);
    },
    take: () => collector.take(),
  };
}

/** Over the limit is one notice and silence, never a throw: nobody loses work because it is not shown. */
function limitedPublish(publish: PublishLive, collector: Collector): PublishLive {
  let left = livePiecesPerCallMax;
  return (piece) => {
    const chars = piece.kind === 'live' ? JSON.stringify(piece.data).length : 0;
    left -= 1;
    if (left >= 0 && chars <= liveCharsMax) publish(piece);
    else {
      const limits = `${grouped(livePiecesPerCallMax)} pieces a call and ${grouped(liveCharsMax)} characters a piece`;
      collector.notice('live_limit', `Some of it was not shown live: the limits are ${limits}.`);
    }
  };
}

function liveServices({
  collector,
  publish,
  turn,
  round,
  call,
}: Parts): Pick<TurnServices, 'progress' | 'emit' | 'canvas'> {
  let canvases = 0;
  return {
    progress: ({ text, fraction, data }) => {
      collector.assertOpen();
      const shown =
        text === undefined ? {} : { text: cutText(text.toWellFormed(), progressCharsMax) };
      const facts = {
        ...(fraction === undefined ? {} : { fraction }),
        ...(data === undefined ? {} : { data }),
      };
      publish({ kind: 'live', type: 'chat.tool.progress', data: { call, ...shown, ...facts } });
      if (collector.count('react.tool.progress') < progressPerCallMax) {
        collector.add({ type: 'react.tool.progress', author: 'tool', ...shown, data: facts });
      } else {
        collector.notice(
          'progress_limit',
          `Only ${progressPerCallMax} steps of progress are kept.`,
        );
      }
    },
    emit: (type, data) => {
      collector.assertOpen();
      publish({ kind: 'live', type, data });
    },
    canvas: (name, options) => {
      collector.assertOpen();
      canvases += 1;
      if (canvases > canvasesPerCallMax) {
        throw new Refusal('too_many', `A call may open ${canvasesPerCallMax} canvases.`);
      }
      const stream = `${turn}.${round}.canvas.${call}.${canvases}`;
      const path = paths.canvas(turn, name);
      return openCanvas(
        { ...options, name, stream, path, instance: canvases },
        { collector, publish },
      );
    },
  };
}

async function writeFile(file: FileWrite, parts: Parts): Promise<FileRef> {
  const { collector, turn, scope, blobs, signal, limits } = parts;
  collector.assertOpen();
  const filepath = toTurnFile(file.filepath, { turn });
  if (collector.count('artifact.file') >= filesPerCallMax) {
    throw new Refusal('too_many', `A call may write ${filesPerCallMax} files.`);
  }
  const bytesMax = limits?.fileBytes ?? fileBytesMax;
  const blob = await blobs.put(scope.tenant, file.bytes, { signal, bytesMax });
  const filename = fileName(filepath);
  const mime = file.mime ?? mimeOf(filename);
  const { description, visibility = 'external' } = file;
  collector.add({
    type: 'artifact.file',
    author: 'tool',
    path: paths.file(turn, filepath),
    mime,
    blob,
    data: {
      filename,
      size: blob.size,
      visibility,
      ...(description === undefined ? {} : { description }),
    },
  });
  return { path: `fi:${turn}.${filepath}`, filename, mime, size: blob.size, visibility };
}
