import { superviseSeparately } from '../../../supervisor/bundle-process/parent/separate-supervisor.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { inProcess, type Supervise, withoutCode } from '../../sdk/compile/lifecycle/supervisor.ts';
import type { Bundle } from '../../sdk/define/bundle.ts';
import { isDefinition } from '../../sdk/define/definition.ts';
import type { ConfiguredBundle } from '../config/bundle-settings.ts';
import { type Config, type Environment, environment } from '../config/config.ts';

/** All that a process of a bundle has of ours: nothing that is a key. */
const inheritedVariables = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'];

/**
 * Who runs the code of bundles, as the installation has it. `works`: this process calls their tools. One that does not
 * is a door: it runs what answers there.
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

/** Operations, and what is asked of an event before it is taken in. */
function handlesRequests(bundle: Bundle): boolean {
  if (!isDefinition('bundle', bundle)) return false;
  const { operations = [], hooks = [] } = bundle;
  return operations.length + hooks.length > 0;
}

function cleanEnvironment(whole: Environment): Environment {
  return Object.fromEntries(inheritedVariables.map((name) => [name, whole[name]]));
}
