import { Refusal } from '../../base/refusal.ts';
import type { TurnId } from '../../timeline/ids.ts';
import { paths } from '../../timeline/paths.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { fileName, toTurnFilePath } from '../files/file-path.ts';
import { isMime, mimeOf } from '../files/mime.ts';
import { fileBytesMax, filesPerCallMax } from '../limits.ts';
import type { FileRef, FileWrite } from '../ports/call-services.ts';
import type { DraftCollector } from './draft-collector.ts';

type Parts = {
  readonly collector: DraftCollector;
  readonly turn: TurnId;
  readonly scope: ProjectScope;
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
  readonly limits?: { readonly fileBytes?: number };
};

/** The file is durable when this resolves; it joins the log with the result of its call. */
export async function writeFile(file: FileWrite, parts: Parts): Promise<FileRef> {
  const { collector, turn, scope, blobs, signal, limits } = parts;
  collector.assertOpen();
  const filepath = toTurnFilePath(file.filepath, { turn });
  if (collector.count('artifact.file') >= filesPerCallMax) {
    throw new Refusal('too_many', `A call can write at most ${filesPerCallMax} files.`);
  }
  const filename = fileName(filepath);
  const mime = file.mime ?? mimeOf(filename);
  if (!isMime(mime))
    throw new Refusal(
      'invalid_mime',
      'A MIME type has the form type/subtype, for example text/csv.',
    );
  const bytesMax = limits?.fileBytes ?? fileBytesMax;
  const blob = await blobs.put(scope.tenant, file.bytes, { signal, bytesMax });
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
