import { parentPort } from 'node:worker_threads';
import { type CheckJob, check } from './checks.ts';

/** A thread that looks into one file at a time. Whoever started it ends it when one takes too long. */
parentPort?.on('message', (job: CheckJob) => {
  void check(job).then((result) => parentPort?.postMessage(result));
});
