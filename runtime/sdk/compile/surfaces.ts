import { join } from 'node:path';
import type { BundleDefinition } from '../bundle.ts';
import { isDefinition } from '../definition.ts';
import type { BundleWidget, RuntimeBundle } from '../runtime-bundle.ts';
import type { Widget } from '../surfaces.ts';
import { fileWithin } from './files.ts';
import type { Loaded } from './host.ts';
import { compileJobs } from './job.ts';
import { type GivenProps, openLiveProps } from './live-props.ts';
import { compileOperations } from './operation.ts';
import { checkIds, type Problems } from './problems.ts';
import type { Supervisor } from './supervisor.ts';

type Compiling = GivenProps & {
  readonly supervisor: Supervisor;
  readonly problems: Problems;
  notice(text: string): void;
};

/** What the world sees of a bundle beside its agents. */
export async function compileSurfaces(
  loaded: Loaded,
  { supervisor, problems, notice, ...given }: Compiling,
): Promise<Pick<RuntimeBundle, 'kinds' | 'widgets' | 'operations' | 'jobs' | 'props'>> {
  const { definition, dir, kinds } = loaded;
  const widgets = await compileWidgets(definition.widgets ?? [], { dir, problems, notice });
  const operations = compileOperations(loaded, problems).map((one) => supervisor.operation(one));
  const jobs = compileJobs(loaded, problems).map((one) => supervisor.job(one));
  const props = openLiveProps(loaded, { ...given, supervisor, notice });
  return { kinds, widgets, operations, jobs, ...(props && { props }) };
}

/** The widgets that can be served; the others are told in a notice. */
async function compileWidgets(
  widgets: readonly Widget[],
  { dir, problems, notice }: { dir: string; problems: Problems; notice(text: string): void },
): Promise<readonly BundleWidget[]> {
  checkIds(
    'widget',
    widgets.map(({ id }) => id),
    problems,
  );
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

/** What a bundle declares and this runtime does not serve yet, in words for people. */
export function unservedSurfaces(bundle: BundleDefinition): readonly string[] {
  const lists = {
    'MCP endpoints': bundle.mcp?.expose,
    'Props that users set for themselves': isDefinition('props', bundle.props)
      ? bundle.props.perUser
      : undefined,
  };
  const unserved = Object.entries(lists).filter(([, list]) => list && list.length > 0);
  return unserved.map(([name]) => `${name} of “${bundle.id}” are not served by this installation`);
}
