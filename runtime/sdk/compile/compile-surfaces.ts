import { Refusal } from '../../base/refusal.ts';
import type { RuntimeBundle } from '../contract/runtime-bundle.ts';
import type { CompiledAgent } from './agents/compile-agent.ts';
import { compileWidgets } from './compile-widgets.ts';
import { userSecretsOf } from './context/secrets.ts';
import { userPropsOf } from './context/user-props.ts';
import { compileEndpoints } from './endpoints/compile-endpoints.ts';
import type { LoadedBundle } from './host/bundle-host.ts';
import { type OperatorProps, openLiveProps } from './lifecycle/live-props.ts';
import type { Supervisor } from './lifecycle/supervisor.ts';
import { compileJobs } from './operations/compile-jobs.ts';
import { compileOperations } from './operations/compile-operations.ts';
import type { Problems } from './validate/problems.ts';

type Compiling = OperatorProps & {
  readonly equips: readonly CompiledAgent[];
  readonly supervisor: Supervisor;
  readonly problems: Problems;
  notice(text: string): void;
};

type Surfaces = Pick<
  RuntimeBundle,
  'kinds' | 'widgets' | 'operations' | 'jobs' | 'props' | 'userProps' | 'userSecrets'
> & { readonly endpoints: ReturnType<typeof compileEndpoints> };

/** Compiles what a bundle exposes besides its agents. */
export async function compileSurfaces(
  loaded: LoadedBundle,
  { supervisor, equips, problems, notice, ...given }: Compiling,
): Promise<Surfaces> {
  const { definition, dir, kinds } = loaded;
  const widgets = await compileWidgets(definition.widgets ?? [], { dir, problems, notice });
  const operations = compileOperations(loaded, problems).map((one) => supervisor.operation(one));
  const jobs = compileJobs(loaded, problems).map((one) => supervisor.job(one));
  const check = checkOf(equips);
  const props = openLiveProps(loaded, { ...given, supervisor, check, notice });
  const userProps = userPropsOf(loaded);
  const userSecrets = userSecretsOf(loaded);
  const endpoints = compileEndpoints(loaded, { supervisor, problems });
  return { kinds, widgets, operations, jobs, userSecrets, props, userProps, endpoints };
}

/** Checks that every agent can serve with an operator's settings. */
function checkOf(equips: readonly CompiledAgent[]): Parameters<typeof openLiveProps>[1]['check'] {
  return (settings) => {
    const wrong = equips.flatMap((equip) => equip.problems(settings));
    if (wrong.length === 0) return;
    throw new Refusal('invalid_input', `${wrong.join('; ')}. The previous props stay in force.`);
  };
}
