import { Refusal } from '../../base/refusal.ts';
import { filePathCharsMax } from '../limits.ts';

const places = ['outputs', 'files'];

/** A turn by its id and, where one has seen it, by what a model calls it: `t3`. */
export type TurnNames = { readonly turn: string; readonly turnName?: string | undefined };

/**
 * `outputs/…` or `files/…` of this turn, from however a model or a program spells it: also with the turn in front
 * (`t3/outputs/x`, `turn_…/outputs/x`, `fi:t3.outputs/x`). With `bare`, a path that names no place goes there.
 * Refusal `path_refused` for anything else: absolute, climbing, another turn's, attachments.
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
    throw new Refusal('path_refused', `“${path.slice(0, 200)}” is not a place for a file. ${why}.`);
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

/** The folders that stand for this turn. */
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
 * What reads as something else than it is, to people or to models: controls of either kind, line ends of Unicode, what
 * turns the direction of text, letters nobody sees (tags), what stands for bytes that are no text; and a backslash.
 */
const misleadingChars =
  /[\p{Cc}\p{Zl}\p{Zp}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}\u{fffd}\\]/u;

/** What looks like somebody else's place must not become a bare name: it was meant as what it says. */
function namesOtherPlace(local: string): boolean {
  return /^(\w{1,5}:|conv_|turn_|t[1-9]\d{0,5}[./](outputs|files|attachments|user)\b|attachments\/|user\.)/.test(
    local,
  );
}
