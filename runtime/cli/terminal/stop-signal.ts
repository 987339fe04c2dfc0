import { constants } from 'node:os';

/** Why a command is stopped: somebody sent this signal to its process. */
export class StopSignal extends Error {
  override readonly name = 'AbortError';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }

  /** As a shell reports a process that the signal has ended: 130 or 143. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal];
  }
}
