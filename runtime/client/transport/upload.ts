import { isFault } from '../../base/fault.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import {
  reconnectMs,
  reconnectMsMax,
  uploadPieceBytes,
  uploadTriesMax,
} from '../protocol/limits.ts';
import { fetchJson, type Http } from './http.ts';

export type UploadedFile = {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};
type CreatedUpload = { readonly upload_id: string };
type UploadState = { readonly offset: number };

/** Uploads a file piece by piece, and resumes at the server's offset after a lost connection. Returns the upload id. */
export async function upload(
  http: Http,
  { name, mime, bytes }: UploadedFile,
  { progress, signal }: { progress: (sent: number) => void; signal: AbortSignal | undefined },
): Promise<string> {
  const tries = new Retries(signal);
  const init = signal ? { signal } : {};
  const body = JSON.stringify({ name, mime, size: bytes.byteLength });
  const begin = () =>
    fetchJson<CreatedUpload>(http, '/api/uploads', { method: 'POST', body, ...init });
  const { upload_id: id } = await tries.until(begin);
  const path = `/api/uploads/${encodeURIComponent(id)}`;
  let sent = 0;
  while (sent < bytes.byteLength) {
    const from = sent;
    const piece = bytes.slice(from, from + uploadPieceBytes);
    const headers = {
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(from),
    };
    try {
      await http(path, { method: 'PATCH', headers, body: piece, ...init });
      sent = from + piece.byteLength;
    } catch (error) {
      await tries.after(error);
      sent = (await tries.until(() => fetchJson<UploadState>(http, path, init))).offset;
    }
    if (sent > from) tries.reset();
    progress(sent);
  }
  return id;
}

/** Counts consecutive failures, with a longer pause after each. */
class Retries {
  readonly #signal: AbortSignal | undefined;
  #failed = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Restarts the count after a success. */
  reset(): void {
    this.#failed = 0;
  }

  async until<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        await this.after(error);
      }
    }
  }

  /** Pauses after a temporary failure. Throws any other failure, and the last one when the limit is reached. */
  async after(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted();
    if (!isTemporary(error)) throw error;
    this.#failed += 1;
    if (this.#failed > uploadTriesMax) {
      const message = `upload failed: ${String(error).slice(0, 200)}`;
      throw new Refusal('upload_failed', message, { retryable: true });
    }
    const waitMs = isRefusal(error) ? error.retryAfterMs : undefined;
    const growing = Math.min(reconnectMsMax, reconnectMs * 2 ** Math.min(this.#failed, 10));
    await pause(waitMs ?? growing, this.#signal);
  }
}

/** The connection or the server failed, or an earlier piece had arrived after all. */
function isTemporary(error: unknown): boolean {
  if (!isRefusal(error)) return isFault(error);
  const { code } = error;
  return ['http_failed', 'conflict', 'busy'].includes(code) || code !== code.toLowerCase();
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(settle, ms);
    function settle() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', settle);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
    signal?.addEventListener('abort', settle, { once: true });
  });
}
