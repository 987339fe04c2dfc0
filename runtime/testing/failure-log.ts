import { writeSync } from 'node:fs';
import type { Facts, Log } from '../base/log.ts';

const stderr = 2;

/** Logs only unexpected errors of tools and operations, with their stack, because no assertion shows them. */
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
