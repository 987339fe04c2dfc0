import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { readYaml } from '../config/yaml-file.ts';
import { casesMax } from './limits.ts';

const Texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const Regex = z.string().refine(isRegex, 'is not a regular expression');

const Checks = z.strictObject({
  /** How the last turn ends. */
  reason: z.string().optional(),
  contains: Texts.optional(),
  excludes: Texts.optional(),
  matches: Texts.pipe(z.array(Regex)).optional(),
  /** Tools that are called in any turn of the case, in this order; others may be called between them. */
  calls: Texts.optional(),
  avoids: Texts.optional(),
  /** Names of delivered files. */
  files: Texts.optional(),
  /** At most. */
  rounds: z.int().min(1).optional(),
  seconds: z.number().positive().optional(),
  cost_usd: z.number().positive().optional(),
});
export type Checks = z.infer<typeof Checks>;

const Case = z.strictObject({
  name: z.string().min(1),
  /** One message, or several: each begins a turn after the one before has ended. */
  input: Texts.refine((texts) => texts.length > 0, 'needs a message'),
  /** Files that go with the first message, from the folder of the case. */
  attachments: Texts.default([]),
  checks: Checks.default({}),
  /** What a model judges about the last answer. */
  judge: z.string().min(1).optional(),
});
export type EvalCase = z.infer<typeof Case> & { readonly agent: string | undefined };

const File = z.strictObject({
  /** `bundle` or `bundle/agent`; default: the default bundle. */
  agent: z.string().optional(),
  cases: z.array(Case).min(1),
});

/** The cases of the YAML files of a folder. Throws Refusal `invalid_input`, which names every problem with its line. */
export function readCases(folder: string): readonly EvalCase[] {
  const problems: string[] = [];
  const cases: EvalCase[] = [];
  for (const name of filesOf(folder)) {
    const read = readYaml(join(folder, name), File);
    problems.push(...read.problems);
    const { agent, cases: own = [] } = read.value ?? {};
    cases.push(...own.map((each) => ({ ...each, agent })));
  }
  const names = cases.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) problems.push(`${folder}: two cases are named “${twice}”`);
  if (cases.length === 0 && problems.length === 0) {
    problems.push(
      `${folder}: no cases; write some into a file such as ${join(folder, 'first.yaml')}`,
    );
  }
  if (cases.length > casesMax) problems.push(`${folder}: more than ${casesMax} cases`);
  if (problems.length > 0) throw new Refusal('invalid_input', problems.join('\n'));
  return cases;
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted();
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    throw new Refusal('invalid_input', `${folder}: cannot read the folder: ${because}`);
  }
}

function isRegex(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    // Reported with the line of the check.
    return false;
  }
}
