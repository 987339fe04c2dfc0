import { writeSync } from 'node:fs';
import type { Facts, Log } from '../base/log.ts';

const stderr = 2;

/** Silent but for what tools and operations throw unexpectedly: the stack says where, and no assertion of a test shows it. */
export const failureLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: show,
  error: show,
  with: () => failureLog,
};

function show(message: string, { stack }: Facts = {}): void {
  if (typeof stack === 'string') writeSync(stderr, `${message}: ${stack}\n`);
}
