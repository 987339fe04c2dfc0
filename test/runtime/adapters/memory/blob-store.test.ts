import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { blobStoreContract } from '../../../contract/blob-store.ts';

blobStoreContract('memory', async () => openMemoryBlobStore());
