import type { Language } from '../../ports/sandbox.ts';

/** A file of a bundle that runs in a sandbox. `file`: its name in the bundle's folder. */
export type Script = {
  readonly file: string;
  readonly language: Language;
  readonly code: string;
};

/** The only tool of a script; it receives RESULT. */
export const resultTool = 'script.result';

/** The folder of the script in its sandbox, below WORKDIR. */
const folder = 'bundle';

/**
 * A program that writes the script to its own file and runs it from there, so that traces have its name and line
 * numbers. INPUT is a variable of the program. At the end, `{ value }` or `{ unfit }` of RESULT goes to `resultTool`.
 */
export function toProgram({ file, language, code }: Script, input: string): string {
  const [around, literals] = [programs[language], [file, code, input].map(literal)];
  return around(literals.join(', '));
}

/** The trace with the file name as its author knows it, without frames of the wrapper program. */
export function cleanTrace(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !around.test(line));
  return lines.join('\n').replaceAll(place, '').trim();
}

const place = new RegExp(`(?:file://)?/[^\\s"'()]*/${folder}/`, 'g');
const around = /\bnode:internal|\/program\.mjs\b|^Node\.js v/;

/** A string literal that both languages parse the same way. */
function literal(text: string): string {
  return JSON.stringify(text);
}

const programs: Readonly<Record<Language, (literals: string) => string>> = {
  python: (literals) => `def _run(name, script, given):
    import asyncio, json, os, sys, traceback
    path = os.path.join(WORKDIR, "${folder}", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    hand, space = tools.${resultTool}, globals()
    space.update({"__file__": path, "INPUT": json.loads(given)})
    try:
        compiled = compile(script, path, "exec", flags=0x2000, dont_inherit=True)  # Top-level await.
        if compiled.co_flags & 0x80:
            asyncio.run(eval(compiled, space))
        else:
            exec(compiled, space)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    except BaseException as error:
        frame = error.__traceback__
        while frame is not None and frame.tb_frame.f_code.co_filename != path:
            frame = frame.tb_next
        traceback.print_exception(type(error), error, frame)
        sys.exit(1)
    if "RESULT" not in space:
        return
    try:
        asyncio.run(hand({"value": space["RESULT"]}))
    except Exception as error:
        asyncio.run(hand({"unfit": str(error)}))
_run(${literals})
`,
  javascript: (literals) => `import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
const [name, script, given] = [${literals}];
const [folder, hand] = [WORKDIR + '/${folder}', tools.${resultTool}];
const path = folder + '/' + name;
mkdirSync(dirname(path), { recursive: true });
writeFileSync(folder + '/package.json', '{"type":"module"}');
writeFileSync(path, script + '\\n;globalThis.RESULT = RESULT;\\n');
Object.assign(globalThis, { INPUT: JSON.parse(given), RESULT: undefined });
await import(pathToFileURL(path));
if (globalThis.RESULT !== undefined) {
  try {
    if (JSON.stringify(RESULT) === undefined) throw new TypeError('it is a ' + typeof RESULT);
    await hand({ value: RESULT });
  } catch (error) {
    await hand({ unfit: String(error?.message ?? error) });
  }
}
`,
};
