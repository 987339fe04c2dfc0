import { addAbortListener } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../base/refusal.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { Work } from '../../base/signal.ts';
import { htmlDeadlineMs, htmlHeapMb, htmlThreadsMax } from './limits.ts';
import type { ReadablePage } from './read-html.ts';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const program = new URL(`./page-thread.${extension}`, import.meta.url);
/** What a thread reads. */
export type PageSource =
  | { readonly html: string; readonly url: string }
  | { readonly pdf: Uint8Array; readonly url: string };

const few = new Semaphore(htmlThreadsMax);

/**
 * Reads a page in a thread of its own, because a large page would keep other turns waiting. Refusal `page_failed` if it
 * takes too long or too much memory.
 */
export function readInThread(page: PageSource, signal: AbortSignal): Promise<ReadablePage> {
  return few.run(async () => {
    using work = new Work(signal, { deadlineMs: htmlDeadlineMs });
    const thread = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: htmlHeapMb },
      stdout: true,
      stderr: true,
    });
    try {
      thread.postMessage(page);
      return await answerOf(thread, page.url, work.signal);
    } finally {
      await thread.terminate();
      signal.throwIfAborted();
    }
  });
}

function answerOf(thread: Worker, url: string, signal: AbortSignal): Promise<ReadablePage> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Refusal('page_failed', `${url} is too complex to be read`));
    addAbortListener(signal, failed);
    thread.once('message', resolve);
    thread.once('error', failed);
    thread.once('exit', failed);
  });
}
