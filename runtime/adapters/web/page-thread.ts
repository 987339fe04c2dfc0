import { parentPort, workerData } from 'node:worker_threads';
import { readHtml } from './read-html.ts';
import type { PageSource } from './read-in-thread.ts';
import { readPdf } from './read-pdf.ts';

/** A thread that reads one page and ends. */
const page = workerData as PageSource;
parentPort?.postMessage('pdf' in page ? await readPdf(page.pdf) : readHtml(page.html, page.url));
