import { createHash } from 'node:crypto';
import { debianLibraries } from './debian-libraries.mjs';

const suite = 'bookworm';
const modules = 'usr/lib/python3/dist-packages';

/** Contents of the base image. */
export const base = {
  suite,
  packages: debianLibraries.map(({ name }) => name),
  /** Files of packages that programs do not need; only unused tools of fonttools import sympy. */
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

/** Differs for each architecture, Node version and package list, so an image with other contents is never reused. */
export const baseName = `${suite}-${process.arch}-node-${process.versions.node}-${hash}`;

/** The image label that holds this name. */
export const baseLabel = 'timeloom.base';
