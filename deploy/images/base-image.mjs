import { createHash } from 'node:crypto';
import { debianLibraries } from './debian-libraries.mjs';

const suite = 'bookworm';
const modules = 'usr/lib/python3/dist-packages';

/** What the base image is made of. */
export const base = {
  suite,
  packages: debianLibraries.map(({ name }) => name),
  /** What packages bring and no program needs; sympy belongs to tools of fonttools that nobody calls. */
  unneeded: [
    ...['doc', 'man', 'locale', 'unicode', 'tcltk', 'X11', 'javascript'].map(
      (name) => `usr/share/${name}`,
    ),
    ...['sympy', 'mpmath', '*/tests'].map((name) => `${modules}/${name}`),
    'etc/init.d',
  ],
  modules,
};

const hash = createHash('sha256').update(JSON.stringify(base)).digest('hex').slice(0, 8);

/** Another one for each machine, Node and list of packages: nothing that was made of others is taken for it. */
export const baseName = `${suite}-${process.arch}-node-${process.versions.node}-${hash}`;

/** The label of the image that says so. */
export const baseLabel = 'timeloom.base';
