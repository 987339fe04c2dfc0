import { parentPort } from 'node:worker_threads';
import { readHtml } from './read-html.ts';
import type { PageSource } from './read-in-thread.ts';
import { readPdf } from './read-pdf.ts';

/**
 * A thread that reads one page. It begins when it gets the page, after all modules are loaded: Node.js 24 aborts the whole
 * process if a thread is terminated while its modules are still being evaluated.
 */
parentPort?.once('message', (page: PageSource) => {
  void read(page).then((text) => parentPort?.postMessage(text));
});

async function read(page: PageSource) {
  return 'pdf' in page ? await readPdf(page.pdf) : readHtml(page.html, page.url);
}
