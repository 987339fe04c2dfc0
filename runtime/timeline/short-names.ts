import type { Block } from './block.ts';
import { type CallId, type TurnId, toCallId, toTurnId } from './ids.ts';
import { type BlockPath, formatPath, type Path, parsePath } from './paths.ts';
import type { TurnView, View } from './view.ts';

/**
 * The names that a model uses for the turns of a conversation and the calls of a turn: `t3` is the third turn, `c12` its
 * twelfth call. The names depend only on the log and never change, so both spellings of a path always lead to the same
 * item. A turn or call that is not in the log keeps its id.
 */
export type ShortNames = {
  readonly turn: (id: TurnId) => string;
  readonly call: (turn: TurnId, call: CallId) => string;
  /** The displayed form of a stored path. */
  readonly path: (stored: string) => string;
  /** A text written by the runtime, with every stored path in its displayed form. Never for text of users, models or tools. */
  readonly inText: (text: string) => string;
};

type NamedTurns = Pick<View, 'turns' | 'earlierTurns'>;

const known = new WeakMap<readonly TurnView[], ShortNames>();

export function shortNames(view: NamedTurns): ShortNames {
  const before = known.get(view.turns);
  if (before) return before;
  const made = namesOf(view);
  known.set(view.turns, made);
  return made;
}

function namesOf({ turns, earlierTurns }: NamedTurns): ShortNames {
  const ordinals = new Map<TurnId, number>();
  for (const [index, id] of inOrder({ turns, earlierTurns }).entries()) {
    if (id !== '') ordinals.set(id, index + 1);
  }
  const views = new Map(turns.map((turn) => [turn.id, turn]));
  const turn = (id: TurnId) => {
    const ordinal = ordinals.get(id);
    return ordinal === undefined ? id : `t${ordinal}`;
  };
  const call = (owner: TurnId, id: CallId) => {
    const view = views.get(owner);
    const place = view ? callsOf(view).indexOf(id) : -1;
    return place < 0 ? id : `c${place + 1}`;
  };
  const shortened = (...[, family = '', owner = '', ofCall, ofCode]: (string | undefined)[]) => {
    const id = toTurnId(owner);
    const named = `${family}:${turn(id)}.`;
    if (ofCall !== undefined) return named + call(id, toCallId(ofCall));
    return ofCode === undefined ? named : `${named}code.${call(id, toCallId(ofCode))}`;
  };
  const within = (text: string) => text.replace(mention, shortened);
  return { turn, call, inText: within, path: (stored) => within(stored) };
}

/** The ids of all turns of the conversation, each once; empty for a turn that the log does not name. */
function inOrder({ turns, earlierTurns }: NamedTurns): readonly TurnId[] {
  const earlier = new Set(earlierTurns);
  return [...earlierTurns, ...turns.flatMap(({ id }) => (earlier.has(id) ? [] : id))];
}

/** A path up to the end of its turn and call names. */
const mention =
  /\b(ar|tc|fi|ws|su):((?:[a-z]+_)?turn_[\w-]+)\.(?:([\w-]+)(?=\.(?:call|result|notice)(?![\w-]))|code\.([\w-]+))?/g;

const calls = new WeakMap<TurnView, readonly CallId[]>();

/** In the order in which the model requested them, including calls that were never performed. */
function callsOf(turn: TurnView): readonly CallId[] {
  const before = calls.get(turn);
  if (before) return before;
  const made = [
    ...new Set(turn.blocks.flatMap(({ type, call }) => (asks(type) ? (call ?? []) : []))),
  ];
  calls.set(turn, made);
  return made;
}

function asks(type: Block['type']): boolean {
  return type === 'react.notes' || type === 'react.code' || type === 'react.tool.call';
}

/** A path with ids. */
export type StoredPath<Known extends Path = Path> = Known extends { readonly call: string }
  ? Known & { readonly turn: TurnId; readonly call: CallId }
  : Known extends { readonly turn: string }
    ? Known & { readonly turn: TurnId }
    : Known;

/** The path with the ids of its turn and call; undefined if this view has no such turn or call. */
export function toStored<Known extends Path>(
  view: View,
  path: Known,
): StoredPath<Known> | undefined;
export function toStored(view: View, path: Path): Path | undefined {
  if (!('turn' in path)) return path;
  const turn = turnIdOf(view, path.turn);
  if (turn === undefined) return undefined;
  const named = callIn(path);
  if (named === undefined || placeOf(named, 'c') === undefined) return { ...path, turn };
  const call = callIdOf(view, { turn, name: named });
  if (call === undefined) return undefined;
  return path.family === 'tc' ? { ...path, turn, call } : { ...path, turn, rest: `code.${call}` };
}

/** The id of a turn by its id or short name; undefined for an unknown short name. */
export function turnIdOf(view: NamedTurns, name: string): TurnId | undefined {
  const place = placeOf(name, 't');
  return place === undefined ? toTurnId(name) : inOrder(view)[place] || undefined;
}

function callIdOf(
  { turns }: View,
  { turn, name }: { readonly turn: TurnId; readonly name: string },
): CallId | undefined {
  const view = turns.find(({ id }) => id === turn);
  const inTurn = view ? callsOf(view) : [];
  return inTurn.find((id) => id === name) ?? inTurn[placeOf(name, 'c') ?? -1];
}

/** The stored form of a path; undefined if the text is not a path or names an unknown turn or call. */
export function storedPath(view: View, text: string): BlockPath | undefined {
  const path = parsePath(text);
  const stored = path && toStored(view, path);
  return stored && formatPath(stored);
}

/** Whether a path uses short names (`t3`, `c12`), which are valid only within its conversation. */
export function usesShortName(path: Path): boolean {
  if (!('turn' in path)) return false;
  return placeOf(path.turn, 't') !== undefined || placeOf(callIn(path) ?? '', 'c') !== undefined;
}

function callIn(path: Extract<Path, { turn: string }>): string | undefined {
  if (path.family === 'tc') return path.call;
  return path.family === 'fi' ? /^code\.([\w-]+)$/.exec(path.rest)?.[1] : undefined;
}

/** Index from 0. */
function placeOf(name: string, letter: 't' | 'c'): number | undefined {
  const [, first, digits] = /^([tc])([1-9]\d{0,5})$/.exec(name) ?? [];
  return first === letter ? Number(digits) - 1 : undefined;
}
