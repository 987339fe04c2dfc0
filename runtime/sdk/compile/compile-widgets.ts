import { join } from 'node:path';
import type { BundleWidget } from '../contract/runtime-bundle.ts';
import { isDefinition } from '../define/definition.ts';
import type { Widget } from '../define/surfaces.ts';
import { fileWithin } from './validate/bundle-files.ts';
import { checkIds, type Problems } from './validate/problems.ts';

/** The widgets that can be served. The others are reported in a notice. */
export async function compileWidgets(
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
    const source = join(dir, widget.ui);
    const isBuilt = (await fileWithin(source, 'package.json')) !== undefined;
    const folder = isBuilt ? join(source, 'dist') : source;
    if ((await fileWithin(folder, 'index.html')) === undefined) {
      const because = isBuilt
        ? `${widget.ui} is not built; run timeloom bundle build`
        : `${widget.ui} has no index.html`;
      notice(`widget “${widget.id}” is not served: ${because}`);
      continue;
    }
    const { id, title, main = false, renders = [], access = 'user' } = widget;
    served.push({ id, title, dir: folder, main, renders, access });
  }
  return served;
}
