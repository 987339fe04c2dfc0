import { existsSync } from 'node:fs';

/** What programs in Python can import in every sandbox; a test holds it to the list of supervisor/cell/libraries.ts. */
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

/** What fonttools, and so matplotlib, takes instead of scipy, which would bring a C++ compiler with it. */
const insteadOfScipy = ['munkres', 'defcon'];

/** Debian's packages of them, as `installDebian` takes them. */
export const debianLibraries = [...libraries, ...insteadOfScipy].map((module) => ({
  name: `python3-${module.toLowerCase()}`,
  file: () => existsSync(`${folder}/${module}`) || existsSync(`${folder}/${module}.py`),
}));
