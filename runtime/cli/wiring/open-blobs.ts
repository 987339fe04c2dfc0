import { join } from 'node:path';
import { openDirectoryBlobStore } from '../../adapters/directory/blob-store.ts';
import type { Config } from '../config/config.ts';

const openMsMax = 20_000;

/** The client of S3 is large: it is loaded only where blobs are kept there. */
export async function openBlobs({ blobs, dataDir }: Config) {
  if (blobs === undefined || 'folder' in blobs) {
    return openDirectoryBlobStore(blobs?.folder ?? join(dataDir, 'blobs'));
  }
  const { openS3BlobStore } = await import('../../adapters/s3/blob-store.ts');
  return openS3BlobStore(blobs, { signal: AbortSignal.timeout(openMsMax) });
}
