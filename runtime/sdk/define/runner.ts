import { Fault } from '../../base/fault.ts';
import type { ToolContext } from './context.ts';
import type { Secret } from './keys.ts';

const runner: unique symbol = Symbol.for('timeloom.runner');

export type RunnerSpec =
  | { readonly kind: 'external'; readonly timeoutMs?: number }
  | {
      readonly kind: 'dispatch';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string | Secret>>;
    }
  | { readonly kind: 'sandbox'; readonly file: string }
  | { readonly kind: 'delegate'; readonly agent: string; readonly rounds?: number };

/** Takes the place of a tool's `run`: the work is done elsewhere. */
export type Runner = ((input: object, ctx: ToolContext) => Promise<never>) & {
  readonly [runner]: RunnerSpec;
};

/** The client runs the tool. The turn is parked until the client answers. */
export function external(options: { timeoutMs?: number } = {}): Runner {
  return toRunner({ kind: 'external', ...options });
}

/**
 * POSTs `{ name, arguments, call_id, turn_id, round }`. The result is the JSON of the response, the `content` of an object
 * that has nothing else, or plain text.
 */
export function dispatch(options: {
  url: string;
  headers?: Record<string, string | Secret>;
}): Runner {
  return toRunner({ kind: 'dispatch', ...options });
}

/** Runs a script of the bundle in the executor: reads `INPUT`, writes `RESULT`, no network. */
export function sandbox(options: { file: string }): Runner {
  return toRunner({ kind: 'sandbox', ...options });
}

/** Runs a sub-agent in its own conversation. */
export function delegate(options: { agent: string; rounds?: number }): Runner {
  return toRunner({ kind: 'delegate', ...options });
}

/** Checks the mark, not the class: a bundle may carry its own copy of this module. */
export function runnerOf(run: object): RunnerSpec | undefined {
  return isRunner(run) ? run[runner] : undefined;
}

function isRunner(run: object): run is Runner {
  return runner in run;
}

function toRunner(spec: RunnerSpec): Runner {
  const run = () => Promise.reject(new Fault('NOT_AVAILABLE', { because: `${spec.kind} tools` }));
  return Object.assign(run, { [runner]: Object.freeze(spec) });
}
