#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { StopSignal } from './terminal/stop-signal.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const reason = new StopSignal(signal);
    if (stop.signal.aborted) process.exit(reason.exitCode);
    stop.abort(reason);
  });
}
// The reader of the output may stop early (`| head`); the remaining output is dropped.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
void runCommandLine(process.argv.slice(2), stop).then((code) => {
  process.exitCode = code;
});
