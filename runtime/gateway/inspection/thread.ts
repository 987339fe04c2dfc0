import { parentPort } from 'node:worker_threads';
import { type CheckJob, check } from './checks.ts';

/** A thread that checks one file at a time. Its owner terminates it if a check takes too long. */
parentPort?.on('message', (job: CheckJob) => {
  void check(job).then((result) => parentPort?.postMessage(result));
});
