import { existsSync } from 'node:fs';

/** Libraries that Python programs can import in every sandbox. A test compares the list with supervisor/cell/libraries.ts. */
export const libraries = [
  'numpy',
  'pandas',
  'matplotlib',
  'openpyxl',
  'PIL',
  'docx',
  'lxml',
  'reportlab',
  'pypdf',
  'yaml',
  'jinja2',
  'tabulate',
];

const folder = '/usr/lib/python3/dist-packages';

/** What fonttools, and so matplotlib, uses instead of scipy, which would install a C++ compiler. */
const insteadOfScipy = ['munkres', 'defcon'];

/** Their Debian packages, in the format of `installDebian`. */
export const debianLibraries = [...libraries, ...insteadOfScipy].map((module) => ({
  name: `python3-${module.toLowerCase()}`,
  file: () => existsSync(`${folder}/${module}`) || existsSync(`${folder}/${module}.py`),
}));
