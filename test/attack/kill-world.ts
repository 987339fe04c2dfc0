import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { openDirectoryCallJournal } from '../../runtime/adapters/directory/call-journal.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../runtime/adapters/system/ids.ts';
import { createTool } from '../../runtime/tools/create-tool.ts';
import { createExecTools } from '../../runtime/tools/exec/exec-tools.ts';
import type { Sandbox } from '../../runtime/tools/sandbox.ts';
import { openWorld } from '../runtime/tools/kit.ts';

/** Many calls with effects, twenty at a time. */
const program = `import asyncio
async def one(n):
    try: await (tools.bank.pay if n % 2 else tools.bank.post)(n=n)
    except ToolError: pass
for _ in range(6): await asyncio.gather(*(one(n) for n in range(20)))`;

/** Effects of tools, each with its beginning and its end, in a file that outlives whoever made them. */
export class Ledger {
  readonly #path: string;

  constructor(dir: string) {
    this.#path = join(dir, 'ledger');
    appendFileSync(this.#path, '');
  }

  write(word: 'begin' | 'end', key: string): void {
    appendFileSync(this.#path, `${word} ${key}\n`);
  }

  /** Keys in the order of the word. */
  all(word: 'begin' | 'end'): readonly string[] {
    const lines = readFileSync(this.#path, 'utf8').split('\n');
    return lines
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  }

  /** Effects of one program that began and of which nobody heard the end. */
  cutOff(call: string): readonly string[] {
    const ended = new Set(this.all('end'));
    return this.all('begin').filter((key) => key.startsWith(`${call}.`) && !ended.has(key));
  }
}

/** Runs the program as a call of that name; what the model reads of it. */
export async function runProgram(
  call: string,
  { sandbox, dir, begun }: { sandbox: Sandbox; dir: string; begun?: () => void },
): Promise<string> {
  const world = await openWorld();
  const ledger = new Ledger(dir);
  const journal = await openDirectoryCallJournal(dir);
  const parts = { sandbox, blobs: world.blobs, ids: randomIds, clock: systemClock, journal };
  const [tool] = createExecTools(parts);
  if (tool === undefined) throw new Error('no tool');
  const effect = (id: string, effects: 'keyed' | 'unkeyed') =>
    createTool({
      id,
      kind: 'bundle',
      description: 'has an effect',
      effects,
      input: z.object({ n: z.number() }),
      run: async ({ n }, { key, signal }) => {
        const own = `${call}.${key.slice(key.lastIndexOf('.') + 1)}`;
        ledger.write('begin', own);
        begun?.();
        await setTimeout((n * 7) % 40, undefined, { signal });
        ledger.write('end', own);
        return { result: { ok: true, ret: n } };
      },
    });
  const tools = [effect('bank.pay', 'keyed'), effect('bank.post', 'unkeyed')];
  const code = { text: program, language: 'python' as const };
  const performed = await world.perform(tool, {}, { call, code, programs: { tools } });
  return performed.preview;
}
