import { join } from 'node:path';
import { Refusal } from '../../base/refusal.ts';
import type { BundleWidget, RuntimeBundle } from '../contract/runtime-bundle.ts';
import { isDefinition } from '../define/definition.ts';
import type { Widget } from '../define/surfaces.ts';
import type { CompiledAgent } from './agents/compile-agent.ts';
import { unsupportedInBundle } from './agents/unsupported-options.ts';
import { userSecretsOf } from './context/secrets.ts';
import type { LoadedBundle } from './host/bundle-host.ts';
import { type OperatorProps, openLiveProps } from './lifecycle/live-props.ts';
import type { Supervisor } from './lifecycle/supervisor.ts';
import { compileJobs } from './operations/compile-jobs.ts';
import { compileOperations } from './operations/compile-operations.ts';
import { fileWithin } from './validate/bundle-files.ts';
import { checkIds, type Problems } from './validate/problems.ts';

type Compiling = OperatorProps & {
  readonly equips: readonly CompiledAgent[];
  readonly supervisor: Supervisor;
  readonly problems: Problems;
  notice(text: string): void;
};

/** Compiles what a bundle exposes besides its agents. */
export async function compileSurfaces(
  loaded: LoadedBundle,
  { supervisor, equips, problems, notice, ...given }: Compiling,
): Promise<
  Pick<RuntimeBundle, 'kinds' | 'widgets' | 'operations' | 'jobs' | 'props' | 'userSecrets'>
> {
  const { definition, dir, kinds } = loaded;
  for (const problem of unsupportedInBundle(definition)) problems.add(problem);
  const widgets = await compileWidgets(definition.widgets ?? [], { dir, problems, notice });
  const operations = compileOperations(loaded, problems).map((one) => supervisor.operation(one));
  const jobs = compileJobs(loaded, problems).map((one) => supervisor.job(one));
  const check = checkOf(equips);
  const props = openLiveProps(loaded, { ...given, supervisor, check, notice });
  const userSecrets = userSecretsOf(loaded);
  return { kinds, widgets, operations, jobs, userSecrets, props };
}

/** Checks that every agent can serve with an operator's settings. */
function checkOf(equips: readonly CompiledAgent[]): Parameters<typeof openLiveProps>[1]['check'] {
  return (settings) => {
    const wrong = equips.flatMap((equip) => equip.problems(settings));
    if (wrong.length === 0) return;
    throw new Refusal('invalid_input', `${wrong.join('; ')}. The previous props stay in force.`);
  };
}

/** The widgets that can be served. The others are reported in a notice. */
async function compileWidgets(
  widgets: readonly Widget[],
  { dir, problems, notice }: { dir: string; problems: Problems; notice(text: string): void },
): Promise<readonly BundleWidget[]> {
  checkIds(
    'widget',
    widgets.map(({ id }) => id),
    problems,
  );
  const mains = widgets.filter((one) => isDefinition('widget', one) && one.main === true);
  if (mains.length > 1) {
    const ids = mains.map(({ id }) => `“${id}”`).join(', ');
    problems.add(`only one widget can be the main one, but these are: ${ids}`);
  }
  const served: BundleWidget[] = [];
  for (const widget of widgets) {
    if (!isDefinition('widget', widget)) {
      problems.add('a widget was not made by defineWidget');
      continue;
    }
    const folder = join(dir, widget.ui);
    if ((await fileWithin(folder, 'index.html')) === undefined) {
      notice(`widget “${widget.id}” is not served: ${widget.ui} has no index.html`);
      continue;
    }
    const { id, title, main = false, renders = [], access = 'user' } = widget;
    served.push({ id, title, dir: folder, main, renders, access });
  }
  return served;
}
