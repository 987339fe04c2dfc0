import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../runtime/adapters/system/ids.ts';
import { createTool } from '../../runtime/tools/create-tool.ts';
import { createExecTools } from '../../runtime/tools/exec/exec-tools.ts';
import type { Sandbox } from '../../runtime/tools/sandbox.ts';
import type { Tool } from '../../runtime/tools/tool.ts';
import { openWorld } from '../runtime/tools/kit.ts';

/** Many calls with effects, twenty at a time. */
export const program = `import asyncio
async def one(n):
    try: await (tools.bank.pay if n % 2 else tools.bank.post)(n=n)
    except ToolError: pass
for k in range(6): await asyncio.gather(*(one(20 * k + n) for n in range(20)))`;

const Line = z.object({
  word: z.enum(['begin', 'end']),
  effects: z.enum(['keyed', 'unkeyed']),
  /** What the program wanted done, once, and the key it was done under. */
  n: z.number(),
  key: z.string(),
});
type Line = z.output<typeof Line>;

/** Effects of tools, each with its beginning and its end, in a file that outlives whoever made them. */
export class Ledger {
  readonly #path: string;

  constructor(dir: string) {
    this.#path = join(dir, 'ledger.jsonl');
    appendFileSync(this.#path, '');
  }

  write(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  /** A line that a kill cut short is followed by another on the same line: both are read. */
  get lines(): readonly Line[] {
    const texts = readFileSync(this.#path, 'utf8').match(/\{[^{}]*\}/g) ?? [];
    return texts.map((text) => Line.parse(JSON.parse(text)));
  }

  /** Effects of one program, by the program's own ids, that began and of which nobody wrote the end. */
  cutOff(program: string): readonly string[] {
    const of = this.lines.filter(({ key }) => key.startsWith(`${program}.`));
    const ended = new Set(of.filter(({ word }) => word === 'end').map(({ key }) => key));
    const open = of.filter(({ word, key }) => word === 'begin' && !ended.has(key));
    return [...new Set(open.map(({ key }) => key.slice(program.length + 1)))];
  }

  /** No unkeyed effect began twice; whatever was wanted once has one key. */
  expectNothingTwice(): void {
    const begun = this.lines.filter(({ word }) => word === 'begin');
    const once = begun.filter(({ effects }) => effects === 'unkeyed').map(({ key }) => key);
    expect(new Set(once).size).toBe(once.length);
    const keys = new Map<string, string>();
    for (const { key, n } of begun) {
      const wanted = `${key.slice(0, key.lastIndexOf('.'))} ${n}`;
      expect(keys.get(wanted) ?? key).toBe(key);
      keys.set(wanted, key);
    }
  }
}

/** `bank.pay`, whose effect happens once for its key, and `bank.post`, which nobody may repeat. */
export function bankTools(ledger: Ledger, begun: () => void = () => undefined): readonly Tool[] {
  const effect = (id: string, effects: 'keyed' | 'unkeyed') =>
    createTool({
      id,
      kind: 'bundle',
      description: 'has an effect',
      effects,
      input: z.object({ n: z.number() }),
      run: async ({ n }, { key, signal }) => {
        ledger.write({ word: 'begin', effects, n, key });
        begun();
        await setTimeout((n * 7) % 40, undefined, { signal });
        ledger.write({ word: 'end', effects, n, key });
        return { result: { ok: true, ret: n } };
      },
    });
  return [effect('bank.pay', 'keyed'), effect('bank.post', 'unkeyed')];
}

/** Runs the program as a call of that name; what the model reads of it. */
export async function runProgram(
  call: string,
  { sandbox, dir }: { sandbox: Sandbox; dir: string },
): Promise<string> {
  const world = await openWorld();
  const parts = { sandbox, blobs: world.blobs, ids: randomIds, clock: systemClock };
  const [tool] = createExecTools(parts);
  if (tool === undefined) throw new Error('no tool');
  const code = { text: program, language: 'python' as const };
  const programs = { tools: bankTools(new Ledger(dir)) };
  const performed = await world.perform(tool, {}, { call, code, programs });
  return performed.preview;
}

/** The calls that a text says to be in doubt. */
export function doubtsIn(text: string): readonly string[] {
  const list = /In doubt:[^\n]*\n((?:- [^\n]*\n?)*)/.exec(text)?.[1] ?? '';
  return [...list.matchAll(/\(call (\w+), (?:un)?keyed\)/g)].flatMap(([, id]) => id ?? []);
}
