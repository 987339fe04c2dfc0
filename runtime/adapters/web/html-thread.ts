import { parentPort, workerData } from 'node:worker_threads';
import { readHtml } from './read-html.ts';

/** A thread that reads one page and ends. */
const { html, url } = workerData as { html: string; url: string };
parentPort?.postMessage(readHtml(html, url));
