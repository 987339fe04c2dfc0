import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPage, builtFolder, needsBuild } from '../../../adapters/bundles/build-page.ts';
import { isDefinition } from '../../../sdk/define/definition.ts';
import { fingerprintOf, newestOf } from './watch-folder.ts';

/** Folders of the bundle's pages that must be built. */
export function widgetPages(dir: string, definition: unknown): readonly string[] {
  const widgets = isDefinition('bundle', definition) ? (definition.widgets ?? []) : [];
  const folders = widgets.flatMap((each) =>
    isDefinition('widget', each) ? join(dir, each.ui) : [],
  );
  return [...new Set(folders.filter(needsBuild))];
}

/** Builds pages whose sources have changed since they were built. Fault `BUNDLE_INVALID`. */
export class PageBuilder {
  /** Fingerprints of the sources of pages that are built. */
  readonly #built = new Map<string, string>();

  async build(folder: string): Promise<void> {
    const sources = await fingerprintOf(folder);
    const known = this.#built.get(folder);
    if (known === sources || (known === undefined && !(await isStale(folder)))) {
      this.#built.set(folder, sources);
      return;
    }
    await buildPage(folder);
    this.#built.set(folder, sources);
  }
}

/** A source is newer than the page, or there is no page. */
async function isStale(folder: string): Promise<boolean> {
  const page = await stat(join(folder, builtFolder, 'index.html')).catch(() => undefined);
  return page === undefined || (await newestOf(folder)) > page.mtimeMs;
}
