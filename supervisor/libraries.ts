/** What programs in Python can import beside the language's own, where Debian's packages of them are: `python3-<name>`, in small letters. */
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
] as const;

/** What most programs begin with, and how an executor that waits for one has it: at a time, in this order. */
export const preloadedLibraries = ['numpy', 'pandas', 'matplotlib.pyplot', 'openpyxl'] as const;
