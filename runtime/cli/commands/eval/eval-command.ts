import { parseArgs } from 'node:util';
import { Refusal } from '../../../base/refusal.ts';
import { refOf } from '../../../sdk/define/model.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { readCases } from '../../evals/eval-case.ts';
import { addCase } from './add-case.ts';
import { runCases } from './run-cases.ts';

const usage = `usage: timeloom eval FOLDER [--case NAME] [--model M] [--judge M] [--json]
       timeloom eval add FOLDER ID [--turn TURN] [--user U]
`;

/** `timeloom eval`: plays the cases of a folder on a server of their own. Exit code 1: one of them fails. */
export async function evaluate(
  args: readonly string[],
  { signal }: { readonly signal: AbortSignal },
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      case: { type: 'string' },
      model: { type: 'string' },
      judge: { type: 'string' },
      json: { type: 'boolean' },
      turn: { type: 'string' },
      user: { type: 'string' },
    },
  });
  const [first = '', folder = '', id = '', ...more] = positionals;
  if (first === 'add' && id !== '' && more.length === 0) {
    return addCase(folder, { id, turn: values.turn, user: values.user, signal });
  }
  if (first === '' || first === 'add' || folder !== '') {
    process.stderr.write(usage);
    return 2;
  }
  const cases = readCases(first).filter(({ name }) => !values.case || name === values.case);
  if (cases.length === 0) throw new Refusal('not_found', `${first} has no case “${values.case}”`);
  const config = configFor(readConfig(), values.model);
  const judge = values.judge ?? (config.models.small && refOf(config.models.small)) ?? config.model;
  const run = { folder: first, cases, judge, json: values.json ?? false };
  return await runCases(config, run, { signal });
}

function configFor(config: Config, model: string | undefined): Config {
  if (model === undefined) return config;
  const { decision: _replaced, ...models } = config.models;
  return { ...config, model, models };
}
