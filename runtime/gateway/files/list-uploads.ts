import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import { uploadsSpace } from '../../sdk/compile/host/spaces.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import { done, type UploadState } from './uploads.ts';

/** The uploads of a user that a message may name, newest first. */
export async function listUploads(
  storage: KeyValueStore,
  sender: Sender,
  { limit }: { readonly limit: number },
): Promise<readonly UploadState[]> {
  const space = uploadsSpace(sender);
  const ids: string[] = [];
  for await (const key of storage.keys(space, 'done/')) ids.push(key.slice('done/'.length));
  const newest = ids.toSorted().toReversed().slice(0, limit);
  const found = await Promise.all(
    newest.map(async (id): Promise<readonly UploadState[]> => {
      const read = done.safeParse(await storage.get(space, `done/${id}`));
      if (!read.success) return [];
      const { file, untilMs } = read.data;
      const { name, mime, blob } = file;
      return [{ id, name, mime, size: blob.size, offset: blob.size, untilMs }];
    }),
  );
  return found.flat();
}
