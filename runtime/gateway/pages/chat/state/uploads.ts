import { useSyncExternalStore } from 'react';

export type Upload = { readonly name: string; readonly sent: number; readonly total: number };

const uploads = new Map<string, Upload>();
const listeners = new Set<() => void>();

/** Sets how far the upload of a message is; undefined: it is over. */
export function setUpload(message: string, upload: Upload | undefined): void {
  if (upload) uploads.set(message, upload);
  else uploads.delete(message);
  for (const listener of [...listeners]) listener();
}

export function useUpload(message: string): Upload | undefined {
  return useSyncExternalStore(subscribe, () => uploads.get(message));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
