import { Refusal } from '../base/refusal.ts';
import { filePathCharsMax } from './limits.ts';

const places = ['outputs', 'files'];

/**
 * `outputs/…` or `files/…` of this turn, from however a model or a program spells it: also with the turn in front
 * (`turn_…/outputs/x`, `fi:turn_….outputs/x`). With `bare`, a path that names no place goes there.
 * Refusal `path_refused` for anything else: absolute, climbing, another turn's, attachments.
 */
export function toTurnFile(
  path: string,
  { turn, bare }: { turn: string; bare?: 'outputs' | 'files' },
): string {
  const local = withoutTurn(path.trim(), turn).replace(/^(\.\/)+/, '');
  const [place = '', ...rest] = local.split('/');
  const placed = places.includes(place) ? local : bare && `${bare}/${local}`;
  const named = places.includes(place) ? rest.length > 0 : local !== '';
  if (placed === undefined || !named || !isSafe(placed) || isForeign(local)) {
    const why = 'Write to outputs/<name> (produced) or files/<name> (workspace) of this turn';
    throw new Refusal('path_refused', `“${path.slice(0, 200)}” is not a place for a file. ${why}.`);
  }
  return placed;
}

/** The last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function withoutTurn(path: string, turn: string): string {
  const bare = path.replace(/^(conv:)?fi:/, '');
  for (const prefix of [`${turn}/`, `${turn}.`]) {
    if (bare.startsWith(prefix)) return bare.slice(prefix.length);
  }
  return path;
}

function isSafe(path: string): boolean {
  const parts = path.split('/');
  return (
    path.length <= filePathCharsMax &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.length <= 200) &&
    !hasControls(path) &&
    path.isWellFormed()
  );
}

function hasControls(path: string): boolean {
  return [...path].some((char) => char < ' ' || char === '\u007f' || char === '\\');
}

/** What looks like somebody else's place must not become a bare name: it was meant as what it says. */
function isForeign(local: string): boolean {
  return /^(\w{1,5}:|conv_|turn_|attachments\/|user\.)/.test(local);
}
