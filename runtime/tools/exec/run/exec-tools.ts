import { createTool } from '../../definition/create-tool.ts';
import type { Language } from '../../ports/sandbox.ts';
import type { Tool } from '../../ports/tool.ts';
import { executionDeadlineMs, reportChars } from '../limits.ts';
import { execInputSchema, withFilepaths } from '../program/exec-input.ts';
import { type ExecParts, execute } from './execute.ts';
import { createPrepare } from './prepare-program.ts';
import { recoverProgram } from './recover-program.ts';
import { whyNoSandbox } from './run-to-end.ts';

/** `exec_tools.execute_code_python` and `exec_tools.execute_code_javascript`. */
export function createExecTools(parts: ExecParts): readonly Tool[] {
  const languages: readonly Language[] = ['python', 'javascript'];
  return languages.map((language) => createExecTool(language, parts));
}

function createExecTool(language: Language, parts: ExecParts): Tool {
  const missing = whyNoSandbox({ ...parts, language });
  const tool = createTool({
    id: `exec_tools.execute_code_${language}`,
    kind: 'exec',
    language,
    ...(missing === undefined ? {} : { unavailable: missing }),
    traits: ['exploitation'],
    effects: 'unkeyed',
    concurrency: 'alone',
    timeoutMs: executionDeadlineMs,
    resultLimit: reportChars,
    description: `Runs a ${languageNames[language]} program that you write.${imports(language, parts)}`,
    input: execInputSchema,
    run: (asked, context) => execute(asked, context, { ...parts, language }),
  });
  const prepare = createPrepare(parts);
  return {
    ...tool,
    parse: (input) => tool.parse(withFilepaths(input)),
    recover: (context, way) => recoverProgram(context, { ...parts, ...way }),
    prepare: (rights, seen) => prepare(language, rights, seen),
  };
}

const languageNames = { python: 'Python', javascript: 'JavaScript' } as const;

/** Programs cannot install packages, so the list is complete. */
function imports(language: Language, { libraries }: ExecParts): string {
  if (language !== 'python' || libraries === undefined) return '';
  const more = libraries.length === 0 ? 'nothing else' : libraries.join(', ');
  return ` It can import the standard library and ${more}.`;
}
