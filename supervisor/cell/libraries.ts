/** Libraries that Python programs can import besides the standard library, where Debian's packages `python3-<name>` (lower case) are installed. */
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

/** Libraries that most programs import first. A waiting executor loads them one at a time, in this order. */
export const preloadedLibraries = ['numpy', 'pandas', 'matplotlib.pyplot', 'openpyxl'] as const;
