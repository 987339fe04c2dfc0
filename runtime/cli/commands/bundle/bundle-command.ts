import { parseArgs } from 'node:util';

type Waits = { readonly signal: AbortSignal };
type Subcommand = (args: readonly string[], options: Waits) => Promise<number>;

/** Loaded on demand: creating a folder needs no compiler. */
const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  new: async () => makeNew,
  check: async () => check,
  build: async () => build,
  dev: async () => dev,
};
const usage = `usage: timeloom bundle new NAME [--in DIR] [--json]
       timeloom bundle check PATH... [--no-types] [--json]
       timeloom bundle build PATH... [--no-install] [--json]
       timeloom bundle dev PATH [--port P] [--json]
`;

/** `timeloom bundle …`: creates a bundle, checks it, builds its pages, serves it during development. */
export async function bundle(
  [name = '', ...args]: readonly string[],
  waits: Waits,
): Promise<number> {
  const verb = Object.hasOwn(subcommands, name) ? await subcommands[name]?.() : undefined;
  return verb ? verb(args, waits) : misuse();
}

async function makeNew(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { in: { type: 'string' }, json: { type: 'boolean' } },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) return misuse();
  const { newBundle } = await import('./new-command.ts');
  return newBundle(name, { parent: values.in ?? '.', json: values.json ?? false });
}

async function check(args: readonly string[], { signal }: Waits): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'no-types': { type: 'boolean' }, json: { type: 'boolean' } },
  });
  if (positionals.length === 0) return misuse();
  const { checkCommand } = await import('./check-command.ts');
  const types = values['no-types'] !== true;
  return checkCommand(positionals, { types, json: values.json ?? false, signal });
}

async function build(args: readonly string[], { signal }: Waits): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'no-install': { type: 'boolean' }, json: { type: 'boolean' } },
  });
  if (positionals.length === 0) return misuse();
  const { buildCommand } = await import('./build-command.ts');
  const installs = values['no-install'] !== true;
  return buildCommand(positionals, { installs, json: values.json ?? false, signal });
}

async function dev(args: readonly string[], { signal }: Waits): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { port: { type: 'string' }, json: { type: 'boolean' } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) return misuse();
  const { devCommand } = await import('./dev-command.ts');
  return devCommand(path, { port: values.port, json: values.json ?? false, signal });
}

function misuse(): number {
  process.stderr.write(usage);
  return 2;
}
