import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { createTool } from '../../../runtime/tools/definition/create-tool.ts';
import type { Tool } from '../../../runtime/tools/ports/tool.ts';

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

/** Effects of tools, each with its beginning and its end, in a file that outlives the process that made them. */
export class Ledger {
  readonly #path: string;

  constructor(dir: string) {
    this.#path = join(dir, 'ledger.jsonl');
    appendFileSync(this.#path, '');
  }

  write(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  /** Of one program, or all. A line that a kill cut short is followed by another on the same line: both are read. */
  lines(program = ''): readonly Line[] {
    const texts = readFileSync(this.#path, 'utf8').match(/\{[^{}]*\}/g) ?? [];
    // Reading takes long, and the file grows with every program.
    const own = texts.filter((text) => text.includes(`"key":"${program}`));
    return own.map((text) => Line.parse(JSON.parse(text)));
  }

  /** Effects of one program, by the program's own ids, that began and of which nobody wrote the end. */
  cutOff(program: string): readonly string[] {
    const of = this.lines(`${program}.`);
    const ended = new Set(of.filter(({ word }) => word === 'end').map(({ key }) => key));
    const open = of.filter(({ word, key }) => word === 'begin' && !ended.has(key));
    return [...new Set(open.map(({ key }) => key.slice(program.length + 1)))];
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
