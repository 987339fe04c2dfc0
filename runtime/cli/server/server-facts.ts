import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';

/** Processes that run the turns of a gateway without a worker of its own. */
export type WorkersBeside = AsyncDisposable & {
  start(parts: { readonly clock: Clock; readonly log: Log }): void;
  ready(options: { readonly signal: AbortSignal }): Promise<void>;
  readonly counts: Readonly<Record<string, number>>;
  readonly health: WorkersHealth;
};
type WorkersHealth = {
  readonly sandbox: string | null;
  readonly sandbox_missing?: string;
  readonly workers: {
    readonly configured: number;
    readonly ready: number;
    readonly restarts: number;
  };
};

type Facts = {
  readonly sandbox: Sandbox | undefined;
  readonly refusal: string | undefined;
  readonly bundles: readonly RuntimeBundle[];
};

/** The facts in `/health` and in the ready line. */
export function serverFacts({ model }: Config, { sandbox, refusal, bundles }: Facts) {
  return {
    version: version(),
    model: model ?? null,
    sandbox: sandbox?.backend ?? null,
    ...(refusal === undefined ? {} : { sandbox_missing: refusal }),
    bundles: bundles.map(({ id }) => id),
  };
}
