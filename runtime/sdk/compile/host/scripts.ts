import { readFile, realpath } from 'node:fs/promises';
import { extname, relative } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Json } from '../../../base/json.ts';
import { scriptCharsMax } from '../../../tools/exec/limits.ts';
import type { RunScript } from '../../../tools/exec/scripts/run-script.ts';
import type { Script } from '../../../tools/exec/scripts/script-program.ts';
import type { Language } from '../../../tools/ports/sandbox.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';
import type { BundleDefinition } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import { runnerOf } from '../../define/runner.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import { fileWithin } from '../validate/bundle-files.ts';
import type { Problems } from '../validate/problems.ts';

/** Runs a script of the bundle for a call, by the file name given to `sandbox`. Resolves with its RESULT; rejects like `RunScript`. */
export type RunBundleScript = (file: string, input: Json, call: CallContext) => Promise<Json>;

/** For installations that run no scripts. Fault `NOT_AVAILABLE`. */
export const noScripts: RunBundleScript = () =>
  Promise.reject(new Fault('NOT_AVAILABLE', { because: 'sandbox tools' }));

type ScriptOptions = {
  readonly dir: string;
  /** Absent: nothing here runs scripts. */
  readonly run: RunScript | undefined;
  readonly problems: Problems;
};

/** Reads the scripts of a bundle's `sandbox` tools. Later changes to the files have no effect. */
export async function readScripts(
  definition: BundleDefinition,
  { dir, run, problems }: ScriptOptions,
): Promise<RunBundleScript> {
  const scripts = new Map<string, Script>();
  for (const { tool, file } of sandboxTools(definition)) {
    const script = scripts.get(file) ?? (await readScript(file, dir));
    if (typeof script === 'string') problems.add(`tool “${tool}”: ${script}`);
    else scripts.set(file, script);
  }
  if (!run) return noScripts;
  return async (file, input, call) => {
    const script = scripts.get(file);
    if (!script) throw new Fault('NOT_IN_BUNDLE', { because: `script ${file}` });
    return run(script, input, call);
  };
}

function sandboxTools({ agents = [] }: BundleDefinition) {
  const entries = agents.flatMap((agent) => {
    if (!isDefinition('agent', agent)) return [];
    const { tools = [], groups = {} } = agent;
    return [...tools, ...Object.values(groups).flatMap((group) => group.tools)];
  });
  return entries.flatMap((entry) => {
    if (typeof entry === 'string' || !isDefinition('tool', entry)) return [];
    const spec = runnerOf(entry.run);
    return spec?.kind === 'sandbox' ? [{ tool: entry.id, file: spec.file }] : [];
  });
}

/** Language of the tool's script; undefined if the tool is not a script. */
export function scriptLanguage({ run }: ToolDefinition): Language | undefined {
  const spec = runnerOf(run);
  return spec?.kind === 'sandbox' ? languages[extname(spec.file)] : undefined;
}

const languages: Readonly<Record<string, Language>> = {
  '.py': 'python',
  '.mjs': 'javascript',
  '.js': 'javascript',
};

/** Returns a sentence if the file cannot be a script. */
async function readScript(file: string, dir: string): Promise<Script | string> {
  const language = languages[extname(file)];
  if (!language) return `${file} is neither Python (.py) nor JavaScript (.mjs, .js)`;
  const path = await fileWithin(dir, file);
  if (path === undefined) return `file ${file} not found in the bundle`;
  const name = relative(await realpath(dir), path);
  if (/(^|\/)(\.|node_modules\/)/.test(name)) {
    return `${file} is hidden or belongs to a package, so the bundle's revision does not cover it`;
  }
  const code = await readFile(path, 'utf8');
  if (code.length > scriptCharsMax) return `${file} has more than ${scriptCharsMax} characters`;
  return { file: name, language, code };
}
