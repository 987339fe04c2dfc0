import { superviseSeparately } from '../../../supervisor/bundle-process/parent/separate-supervisor.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { inProcess, type Supervise, withoutCode } from '../../sdk/compile/lifecycle/supervisor.ts';
import type { Bundle } from '../../sdk/define/bundle.ts';
import { isDefinition } from '../../sdk/define/definition.ts';
import type { ConfiguredBundle } from '../config/bundle-settings.ts';
import { type Config, type Environment, environment } from '../config/config.ts';

/** The only environment variables that a bundle process inherits; none is a secret. */
const inheritedVariables = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'];

/**
 * Chooses where bundle code runs, as configured by `supervisors`. `works`: this process calls tools. A gateway without a
 * worker runs only bundles that handle requests there.
 */
export function createSupervise(
  { supervisors }: Pick<Config, 'supervisors'>,
  { works }: { works: boolean },
): (bundle: Pick<ConfiguredBundle, 'definition' | 'module'>) => Supervise {
  if (supervisors === 'in_worker') return () => inProcess;
  const env = cleanEnvironment(environment());
  return ({ definition, module }) =>
    works || handlesRequests(definition)
      ? superviseSeparately({ module, clock: systemClock, env })
      : withoutCode;
}

/** Whether the bundle has operations, or hooks that run before an event is accepted. */
function handlesRequests(bundle: Bundle): boolean {
  if (!isDefinition('bundle', bundle)) return false;
  const { operations = [], hooks = [] } = bundle;
  return operations.length + hooks.length > 0;
}

function cleanEnvironment(whole: Environment): Environment {
  return Object.fromEntries(inheritedVariables.map((name) => [name, whole[name]]));
}
