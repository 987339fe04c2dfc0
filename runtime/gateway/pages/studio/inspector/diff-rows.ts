export type DiffRow = {
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
  /** Where it begins, in characters of the old text. */
  readonly from: number;
};

type Change = { readonly value: string; readonly added?: boolean; readonly removed?: boolean };

/** Lines of context around a change. */
const contextLines = 3;

/** A diff with long equal stretches left out. */
export function diffRows(changes: readonly Change[]): readonly DiffRow[] {
  let from = 0;
  return changes.flatMap(({ value, added = false, removed = false }): DiffRow[] => {
    const start = from;
    if (!added) from += value.length;
    if (added) return [{ kind: 'added', text: value, from: start }];
    return removed ? [{ kind: 'removed', text: value, from: start }] : shorten(value, start);
  });
}

function shorten(text: string, from: number): DiffRow[] {
  const lines = text.split(/(?<=\n)/);
  if (lines.length <= 2 * contextLines + 1) return [{ kind: 'same', text, from }];
  const head = lines.slice(0, contextLines).join('');
  const tail = lines.slice(-contextLines).join('');
  const left = lines.length - 2 * contextLines;
  return [
    { kind: 'same', text: head, from },
    { kind: 'skipped', text: `… ${left} equal lines\n`, from: from + head.length },
    { kind: 'same', text: tail, from: from + text.length - tail.length },
  ];
}
