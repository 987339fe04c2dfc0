import type { ExecEnvelope } from '../sandbox.ts';
import type { CallContext } from '../tool.ts';
import { filesOf } from '../workspace.ts';
import { pathsToldMax } from './limits.ts';

/** For the model, of a program that failed: which files of other turns it names that were not there. */
export function notPulled(
  { error }: Pick<ExecEnvelope, 'error'>,
  { code, view, turn }: Pick<CallContext, 'code' | 'view' | 'turn'>,
): readonly string[] {
  if (error === null || code === undefined) return [];
  const others = view.turns.filter(({ id }) => id !== turn && code.text.includes(`${id}/`));
  const missing = others.flatMap((other) =>
    filesOf(other)
      .filter(({ local }) => code.text.includes(`${other.id}/${local}`))
      .filter(({ path }) => !view.pulled.has(path))
      .map(({ path }) => path),
  );
  if (missing.length === 0) return [];
  return [
    `Of other turns, and not brought by react.pull: ${missing.slice(0, pathsToldMax).join(', ')}`,
  ];
}
