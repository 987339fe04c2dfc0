import { relative } from 'node:path';
import { findBundles } from '../../../adapters/bundles/find.ts';
import { environment, readConfig } from '../../config/config.ts';
import { type BundleFinding, toJsonLine, toLines } from './bundle-finding.ts';
import { checkBundle } from './check-bundle.ts';
import { withNearbyDescriptors } from './nearby-descriptors.ts';

type Options = { readonly types: boolean; readonly json: boolean; readonly signal: AbortSignal };

/** `timeloom bundle check PATH…`: reports every problem that can be found without starting the bundle. Exit code 1: an error was found. */
export async function checkCommand(
  paths: readonly string[],
  { types, json, signal }: Options,
): Promise<number> {
  let errors = 0;
  for (const dir of await findBundles(paths)) {
    signal.throwIfAborted();
    const config = readConfig(withNearbyDescriptors(dir, environment()));
    const name = relative('.', dir) || '.';
    // Progress is useful only on a terminal.
    const say = (doing: string) => {
      if (!json && process.stderr.isTTY) process.stderr.write(`· ${name}: ${doing}\n`);
    };
    const { found, title = name } = await checkBundle(dir, { config, types, say, signal });
    const lines = json
      ? found.map((each) => toJsonLine(name, each))
      : [...found.map(toLines), summary(found, title)];
    process.stdout.write(lines.join(''));
    errors += countOf(found, 'error');
  }
  return errors === 0 ? 0 : 1;
}

function summary(found: readonly BundleFinding[], title: string): string {
  if (found.length === 0) return `✓ ${title}: no problems found\n`;
  const counts = (['error', 'warning'] as const).map((level) => {
    const count = countOf(found, level);
    return `${count} ${level}${count === 1 ? '' : 's'}`;
  });
  return `${title}: ${counts.join(', ')}\n`;
}

function countOf(found: readonly BundleFinding[], level: BundleFinding['level']): number {
  return found.filter((each) => each.level === level).length;
}
