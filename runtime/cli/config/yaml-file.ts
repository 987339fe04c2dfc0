import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { parseYaml, type ReadYaml } from '../../sdk/compile/validate/parse-yaml.ts';

/** Reads a descriptor; every error begins with file and line. */
export function readYaml<T>(file: string, schema: z.ZodType<T>): ReadYaml<T> {
  const read = textOf(file);
  if ('text' in read) return parseYaml(read.text, schema, { file });
  const problems = [`${file}: cannot read the file: ${read.because}`];
  return { value: undefined, problems, place: () => file };
}

function textOf(file: string): { readonly text: string } | { readonly because: string } {
  try {
    return { text: readFileSync(file, 'utf8') };
  } catch (error) {
    return { because: error instanceof Error ? error.message : String(error) };
  }
}
