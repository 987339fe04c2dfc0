import { libraries } from '../../../../supervisor/cell/libraries.ts';
import type { Finding } from './doctor-finding.ts';

/** What `timeloom doctor` says of the libraries that programs find. They run without them, and models know which there are: nothing is wrong. */
export function toLibrariesFinding(found: readonly string[], backend: string): Finding {
  const missing = libraries.filter((name) => !found.includes(name));
  const there = found.length === 0 ? 'none' : found.join(', ');
  const rest =
    missing.length === 0 ? '' : `; missing: ${missing.join(', ')} (${remedy(missing, backend)})`;
  return { what: 'libraries', ok: true, says: `${there}${rest}` };
}

function remedy(missing: readonly string[], backend: string): string {
  if (backend !== 'process') {
    return 'make the base image by `node deploy/images/make-base-image.mjs`, or take one that has them';
  }
  // The last two stand in for scipy, which would bring a compiler.
  const names = [...missing, ...(missing.includes('matplotlib') ? ['munkres', 'defcon'] : [])];
  const packages = names.map((name) => `python3-${name.toLowerCase()}`).join(' ');
  return `Debian: apt-get install --no-install-recommends ${packages}`;
}
