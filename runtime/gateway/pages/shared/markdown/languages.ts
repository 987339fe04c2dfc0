/** Names of languages as people write them after the fence of a code block. */
export const languages = {
  py: 'python',
  python: 'python',
  python3: 'python',
  js: 'javascript',
  javascript: 'javascript',
  mjs: 'javascript',
  jsx: 'jsx',
  ts: 'typescript',
  typescript: 'typescript',
  tsx: 'tsx',
  json: 'json',
  jsonc: 'json',
  json5: 'json',
  html: 'html',
  xml: 'html',
  svg: 'html',
  css: 'css',
} as const;

export type Language = (typeof languages)[keyof typeof languages];
