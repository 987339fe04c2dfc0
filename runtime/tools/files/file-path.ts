import { Refusal } from '../../base/refusal.ts';
import type { TurnId } from '../../timeline/ids.ts';
import { filePathCharsMax } from '../limits.ts';

const places = ['outputs', 'files'];

/** A turn by its id and, if known, by the name that a model uses: `t3`. */
export type TurnNames = { readonly turn: TurnId; readonly turnName?: string | undefined };

/**
 * Normalises a path of this turn to `outputs/…` or `files/…`. Accepts the turn as a prefix (`t3/outputs/x`,
 * `turn_…/outputs/x`, `fi:t3.outputs/x`). `bare` is the folder for a path without one. Refusal `path_refused` for
 * anything else: absolute paths, `..`, other turns, attachments.
 */
export function toTurnFilePath(
  path: string,
  { bare, ...names }: TurnNames & { readonly bare?: 'outputs' | 'files' },
): string {
  const local = withoutTurn(path.trim(), names).replace(/^(\.\/)+/, '');
  const [place = '', ...rest] = local.split('/');
  const placed = places.includes(place) ? local : bare && `${bare}/${local}`;
  const named = places.includes(place) ? rest.length > 0 : local !== '';
  if (placed === undefined || !named || !isSafe(placed) || namesOtherPlace(local)) {
    const why = 'Write to outputs/<name> (produced) or files/<name> (working files) of this turn';
    throw new Refusal(
      'path_refused',
      `“${path.slice(0, 200)}” is not a valid path for a file. ${why}.`,
    );
  }
  return placed;
}

/** The last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function withoutTurn(path: string, names: TurnNames): string {
  const bare = path.replace(/^(conv:)?fi:/, '');
  for (const name of turnNames(names)) {
    if (bare.startsWith(`${name}/`) || bare.startsWith(`${name}.`))
      return bare.slice(name.length + 1);
  }
  return path;
}

/** The folder names of this turn. */
export function turnNames({ turn, turnName }: TurnNames): readonly string[] {
  return turnName === undefined || turnName === turn ? [turn] : [turn, turnName];
}

function isSafe(path: string): boolean {
  const parts = path.split('/');
  return (
    path.length <= filePathCharsMax &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.length <= 200) &&
    !misleadingChars.test(path) &&
    path.isWellFormed()
  );
}

/**
 * Characters that mislead people or models: C0 and C1 controls, Unicode line separators, bidirectional controls,
 * invisible tag characters, the replacement character, and the backslash.
 */
const misleadingChars =
  /[\p{Cc}\p{Zl}\p{Zp}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}\u{fffd}\\]/u;

/** A path that looks like another namespace, conversation or turn must not become a bare name: it was meant literally. */
function namesOtherPlace(local: string): boolean {
  return /^(\w{1,5}:|conv_|turn_|t[1-9]\d{0,5}[./](outputs|files|attachments|user)\b|attachments\/|user\.)/.test(
    local,
  );
}
