import { Worker } from 'node:worker_threads';
import { Cancelled } from '../../base/signal.ts';

export type ScanRequest = {
  readonly pattern: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly contextLines: number;
  readonly matchesMax: number;
  readonly lineChars: number;
};

export type ScanMatch = {
  readonly line: number;
  readonly preview: string;
  readonly context: readonly string[];
};

export type Scanned = {
  readonly hits: readonly { readonly path: string; readonly matches: readonly ScanMatch[] }[];
  readonly matches: number;
  /** Ended by the number of matches, not by the end of the files. */
  readonly full: boolean;
};

/** A regular expression may explode, so it runs in a thread of its own that can be ended. Undefined: out of time. */
export async function scan(
  request: ScanRequest,
  { signal, deadlineMs }: { signal: AbortSignal; deadlineMs: number },
): Promise<Scanned | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(program, { eval: true, workerData: request, env: {}, stdin: false });
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await answerOf(worker, [signal, deadline]);
  } catch (error) {
    if (deadline.aborted && !signal.aborted) return undefined;
    throw error;
  } finally {
    await worker.terminate();
  }
}

function answerOf(worker: Worker, stops: readonly AbortSignal[]): Promise<Scanned> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Cancelled('deadline'));
    for (const signal of stops) signal.addEventListener('abort', stop, { once: true });
    const done = () => {
      for (const signal of stops) signal.removeEventListener('abort', stop);
    };
    worker.once('message', (answer: Scanned) => {
      done();
      resolve(answer);
    });
    worker.once('error', (error) => {
      done();
      reject(error);
    });
  });
}

/** As text, because a thread starts from plain JavaScript wherever this module itself is run from. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { pattern, files, contextLines, matchesMax, lineChars } = workerData;
const regex = new RegExp(pattern, 'u');
const short = (line) => line.slice(0, lineChars).toWellFormed();
const hits = [];
let matches = 0;
for (const { path, text } of files) {
  const lines = text.split('\\n');
  const found = [];
  for (let index = 0; index < lines.length && matches < matchesMax; index += 1) {
    if (!regex.test(lines[index])) continue;
    matches += 1;
    const from = Math.max(0, index - contextLines);
    const context = contextLines === 0 ? [] : lines.slice(from, index + contextLines + 1).map(short);
    found.push({ line: index + 1, preview: short(lines[index]), context });
  }
  if (found.length > 0) hits.push({ path, matches: found });
}
parentPort.postMessage({ hits, matches, full: matches >= matchesMax });
`;
