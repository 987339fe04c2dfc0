/** What a built program gets of this machine's environment: none of its settings, and the code that was compiled before. */
export function systemEnv(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
