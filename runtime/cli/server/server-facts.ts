import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';

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
