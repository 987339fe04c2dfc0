import { isFault } from '../../base/fault.ts';
import { parseJson } from '../../base/json.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { EvalChoice } from '../../gateway/ports/eval-reports.ts';
import { runOwnCommand } from '../workers/own-command.ts';
import { readCases } from './eval-case.ts';
import { type EvalResult, Result } from './eval-results.ts';

export type RunningEval = {
  readonly since: string;
  readonly model: string | undefined;
  /** The cases of the run, in its order. */
  readonly names: readonly string[];
  readonly results: readonly EvalResult[];
  readonly isAtWork: boolean;
  /** Why it could not run. */
  readonly problem?: string;
};

/** Runs of folders, each by `timeloom eval` in a process of its own: at most one of a folder. */
export class EvalRuns implements Disposable {
  readonly #folders: readonly string[];
  readonly #runs = new Map<string, RunningEval>();
  readonly #stops = new Map<string, AbortController>();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** The run that is at work, or the last one that this server started. */
  of(folder: string): RunningEval | undefined {
    return this.#runs.get(folder);
  }

  /** Refusals `not_found`, `conflict` and `invalid_input`. */
  async start(folder: string, { case: only, model }: EvalChoice): Promise<void> {
    if (!this.#folders.includes(folder)) throw notFound(folder);
    if (this.#stops.has(folder)) throw new Refusal('conflict', `a run of ${folder} is at work`);
    const all = readCases(folder).map(({ name }) => name);
    const names = all.filter((name) => only === undefined || name === only);
    if (names.length === 0) throw new Refusal('not_found', `${folder} has no case “${only}”`);
    const options = [
      ...(only === undefined ? [] : [`--case=${only}`]),
      ...(model === undefined ? [] : [`--model=${model}`]),
    ];
    this.#runs.set(folder, {
      ...{ since: new Date().toISOString(), model, names, results: [], isAtWork: true },
    });
    void this.#play(folder, ['eval', folder, '--json', ...options]);
  }

  /** Refusal `not_found`. */
  stop(folder: string): void {
    const stop = this.#stops.get(folder);
    if (!stop) throw new Refusal('not_found', `no run of ${folder} is at work`);
    stop.abort();
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops.values()) stop.abort();
  }

  async #play(folder: string, args: readonly string[]): Promise<void> {
    const stop = new AbortController();
    this.#stops.set(folder, stop);
    try {
      for await (const line of runOwnCommand(args, stop)) {
        const { data } = Result.safeParse(parseJson(line));
        const { results = [] } = this.#runs.get(folder) ?? {};
        if (data) this.#change(folder, { results: [...results, data] });
      }
      const { names = [], results = [] } = this.#runs.get(folder) ?? {};
      const isCut = results.length < names.length && !stop.signal.aborted;
      this.#change(folder, {
        isAtWork: false,
        ...(isCut && { problem: 'The run ended before all cases were played.' }),
      });
    } catch (error) {
      const because = isRefusal(error) || isFault(error) ? error.message : String(error);
      this.#change(folder, { isAtWork: false, problem: because });
    } finally {
      this.#stops.delete(folder);
    }
  }

  #change(folder: string, change: Partial<RunningEval>): void {
    const run = this.#runs.get(folder);
    if (run) this.#runs.set(folder, { ...run, ...change });
  }
}

function notFound(folder: string): Refusal {
  return new Refusal('not_found', `${folder} is not a folder of TIMELOOM_EVALS`);
}
