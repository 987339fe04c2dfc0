import { libraries } from '../../../../supervisor/cell/libraries.ts';
import type { Finding } from './doctor-finding.ts';

/** Lists the libraries that programs can import. Missing ones are not an error: programs run without them, and the model gets the list. */
export function toLibrariesFinding(found: readonly string[], backend: string): Finding {
  const missing = libraries.filter((name) => !found.includes(name));
  const there = found.length === 0 ? 'none' : found.join(', ');
  const rest =
    missing.length === 0 ? '' : `; missing: ${missing.join(', ')} (${remedy(missing, backend)})`;
  return { what: 'libraries', ok: true, says: `${there}${rest}` };
}

function remedy(missing: readonly string[], backend: string): string {
  if (backend !== 'process') {
    return 'build the base image with `node deploy/images/make-base-image.mjs`, or use an image that has them';
  }
  // The last two replace scipy, which would install a compiler.
  const names = [...missing, ...(missing.includes('matplotlib') ? ['munkres', 'defcon'] : [])];
  const packages = names.map((name) => `python3-${name.toLowerCase()}`).join(' ');
  return `Debian: apt-get install --no-install-recommends ${packages}`;
}
