import { shortNames } from '../../../timeline/short-names.ts';
import { filesOf } from '../../files/workspace.ts';
import type { ExecEnvelope } from '../../ports/sandbox.ts';
import type { CallContext } from '../../ports/tool.ts';
import { pathsNamedMax } from '../limits.ts';

/**
 * Hints for a failed program: the files of other turns that it names and that were missing, and where the file lies that
 * its error did not find.
 */
export function unpulledFiles(
  { error }: Pick<ExecEnvelope, 'error'>,
  { code, view, turn }: Pick<CallContext, 'code' | 'view' | 'turn'>,
): readonly string[] {
  if (error === null || code === undefined) return [];
  const { turn: nameOf, path: shown } = shortNames(view);
  const named = view.turns
    .filter(({ id }) => id !== turn)
    .flatMap((other) =>
      [other.id, nameOf(other.id)].flatMap((folder) =>
        filesOf(other)
          .filter(({ local }) => mentions(code.text, `${folder}/${local}`))
          .map(({ path, local }) => ({ path, folder, local, right: nameOf(other.id) })),
      ),
    );
  const missing = named.filter(({ path }) => !view.pulled.has(path)).map(({ path }) => shown(path));
  const moved = named
    .filter(({ path, folder, right }) => view.pulled.has(path) && folder !== right)
    .map(({ folder, right, local }) => `${folder}/${local} is ${right}/${local}`);
  const openable = [...missing, ...sought(error.message, view).map(shown)].map(
    (path) => `await ctx_tools.fetch_file("${path}")`,
  );
  return [
    ...listLine('Not there, but it can be opened', openable),
    ...listLine('Folders of earlier turns have short names', moved),
  ];
}

/** The newest file with the name below OUTPUT_DIR that an error did not find. */
function sought(message: string, view: CallContext['view']): readonly string[] {
  if (!/no such file/i.test(message)) return [];
  const files = view.turns.toReversed().flatMap((turn) => filesOf(turn));
  const found = files.find(({ local }) => message.includes(`/${local}'`));
  return found === undefined ? [] : [found.path];
}

function mentions(program: string, path: string): boolean {
  const at = program.indexOf(path);
  return at >= 0 && !/\w/.test(program[at - 1] ?? '');
}

function listLine(about: string, rows: readonly string[]): readonly string[] {
  const shown = [...new Set(rows)].slice(0, pathsNamedMax);
  return shown.length === 0 ? [] : [`${about}: ${shown.join(', ')}`];
}
