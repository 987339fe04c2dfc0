import { join } from 'node:path';
import { openDirectoryBlobStore } from '../../adapters/directory/blob-store.ts';
import type { Config } from '../config/config.ts';

const openMsMax = 20_000;

/** The S3 client is large, so it is loaded only if blobs are stored in S3. */
export async function openBlobs({ blobs, dataDir }: Config) {
  if (blobs === undefined || 'folder' in blobs) {
    return openDirectoryBlobStore(blobs?.folder ?? join(dataDir, 'blobs'));
  }
  const { openS3BlobStore } = await import('../../adapters/s3/blob-store.ts');
  return openS3BlobStore(blobs, { signal: AbortSignal.timeout(openMsMax) });
}
