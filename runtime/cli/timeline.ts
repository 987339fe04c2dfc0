import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLog } from '../adapters/system/log.ts';
import { Refusal } from '../base/refusal.ts';
import { Scope } from '../base/scope.ts';
import type { Block } from '../timeline/block.ts';
import { verify } from '../timeline/verify.ts';
import { readConfig } from './config.ts';
import { openPorts } from './open-ports.ts';

const pageBlocks = 1_000;

/** `timeloom timeline show|verify ID`: the blocks of a conversation, or what is wrong with them. */
export async function timeline(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const [verb, id] = positionals;
  if ((verb !== 'show' && verb !== 'verify') || id === undefined) {
    process.stderr.write('usage: timeloom timeline show|verify ID [--json]\n');
    return 2;
  }
  const blocks = await readAll(id, { signal });
  const json = values.json === true;
  return verb === 'show' ? show(blocks, json) : check(blocks, json);
}

async function readAll(id: string, { signal }: { signal: AbortSignal }): Promise<readonly Block[]> {
  const config = readConfig();
  // Looking must not make a database where there is none.
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'timeline')))
    throw new Refusal(
      'not_found',
      `no timeline is kept in ${config.dataDir}; see TIMELOOM_DATA_DIR`,
    );
  await using scope = new Scope();
  const { store } = await openPorts(config, { scope, log: scope.own(openLog({ level: 'error' })) });
  const { tenant, project } = config;
  const row = await store.find({ tenant, project }, id, { signal });
  if (!row)
    throw new Refusal('not_found', `there is no conversation ${id} in ${tenant}/${project}`);
  const blocks: Block[] = [];
  while (blocks.length < row.head) {
    const page = await store.read(row.key, { after: blocks.length, limit: pageBlocks, signal });
    if (page.length === 0) break;
    blocks.push(...page);
  }
  return blocks;
}

function show(blocks: readonly Block[], json: boolean): number {
  for (const block of blocks) {
    process.stdout.write(json ? `${JSON.stringify(block)}\n` : `${line(block)}\n`);
  }
  return 0;
}

function line({ seq, at, type, path, text }: Block): string {
  const words = (text ?? '').replaceAll(/\s+/g, ' ').slice(0, 80).toWellFormed();
  return `${String(seq).padStart(5)}  ${at}  ${type.padEnd(22)} ${path ?? ''}  ${words}`.trimEnd();
}

function check(blocks: readonly Block[], json: boolean): number {
  const problems = verify(blocks);
  if (json) process.stdout.write(`${JSON.stringify({ blocks: blocks.length, problems })}\n`);
  else if (problems.length === 0) process.stdout.write(`${blocks.length} blocks, nothing wrong\n`);
  else for (const problem of problems) process.stdout.write(`${JSON.stringify(problem)}\n`);
  return problems.length === 0 ? 0 : 1;
}
