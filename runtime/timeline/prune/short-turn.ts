import type { Block } from '../block.ts';
import { dataOf, entryOf } from '../catalogue/catalogue.ts';
import type { RenderAs } from '../catalogue/entry.ts';
import {
  prunedErrorCharsMax,
  prunedHintCharsMax,
  prunedPlanLinesMax,
  prunedRowsMax,
} from '../limits.ts';
import { paths } from '../paths.ts';
import { statusOf, stepLine } from '../plans/plan-text.ts';
import { toItem } from '../render/items.ts';
import { brief, item, oneLine, quote, type RowKind } from '../render/text.ts';
import { shortNames } from '../short-names.ts';
import type { PlanSnapshot, TurnView, View } from '../view.ts';

/**
 * The replacement of an old turn: its summary; or, without one, its outcome and a row for each item that can be read
 * again. Types with the policy `keep` (notes to self, messages during the turn) stay word for word.
 */
export function shortTurn(view: View, turn: TurnView): string {
  const summed = turn.summary !== undefined;
  const pieces = newestOfPaths(turn).flatMap((block) => pieceOf(block, { view, turn, summed }));
  const card = summed ? [] : [{ kind: 'text' as const, text: statusCard(view, turn) }];
  const index = `(the whole turn: react.read ${shortNames(view).path(paths.turnIndex(turn.id))})\n\n`;
  return [...card, ...bounded(pieces)].map(({ text }) => text).join('') + index;
}

type Piece = { readonly kind: 'text' | 'row'; readonly text: string };

/** The newest block of each path, in the order in which the paths first appear; blocks without a path stay separate. */
function newestOfPaths({ blocks }: TurnView): readonly Block[] {
  return [...new Map(blocks.map((block) => [block.path ?? block.seq, block])).values()];
}

type Place = { readonly view: View; readonly turn: TurnView; readonly summed: boolean };

function pieceOf(block: Block, { view, turn, summed }: Place): readonly Piece[] {
  const policy = entryOf(block.type)?.policy;
  const superseded = policy?.render === 'summary' && block !== turn.summary;
  if (!policy || policy.prune === 'drop' || superseded) return [];
  const shown = toItem(block, view);
  if (!shown) return [];
  if (policy.prune === 'keep') return [{ kind: 'text', text: shown.text }];
  const kind = rowKinds[policy.render];
  if (summed || kind === undefined || block.path === undefined) return [];
  const path = shortNames(view).path(block.path);
  const text = rowOf(block, { kind, path, replaced: view.hidden.get(block.path) });
  return [{ kind: 'row', text }];
}

const rowKinds: Readonly<Partial<Record<RenderAs, RowKind>>> = {
  event: 'user',
  attachment: 'file',
  code: 'code',
  canvas: 'canvas',
  call: 'tool_call',
  result: 'tool_result',
  file: 'file',
  completion: 'assistant',
};

type Row = {
  readonly kind: RowKind;
  readonly path: string;
  readonly replaced: string | undefined;
};

function rowOf(block: Block, { kind, path, replaced }: Row): string {
  const hint = brief(replaced ?? hintOf(block), prunedHintCharsMax).replaceAll('"', "'");
  const facts = [
    `${kind}: path=${path}`,
    block.type === 'react.tool.call' ? `tool=${dataOf('react.tool.call', block)?.tool ?? ''}` : '',
    block.mime === undefined ? '' : `mime=${block.mime}`,
    hint === '' ? '' : `hint="${hint}"`,
  ];
  return `${oneLine(facts.filter((fact) => fact !== '').join(' '))}\n`;
}

function hintOf(block: Block): string {
  switch (block.type) {
    case 'react.tool.call':
      return JSON.stringify(dataOf('react.tool.call', block)?.input ?? {});
    case 'react.tool.result': {
      const { ok, error, ret } = dataOf('react.tool.result', block) ?? { ok: true };
      if (!ok && error) return `${error.code}: ${error.message}`;
      return block.text ?? JSON.stringify(ret ?? null);
    }
    case 'artifact.file':
      return dataOf('artifact.file', block)?.description ?? '';
    default:
      return block.text ?? '';
  }
}

/** Keeps the first and last rows if there are too many; the index of the turn has all of them. */
function bounded(pieces: readonly Piece[]): readonly Piece[] {
  const rows = pieces.filter(({ kind }) => kind === 'row');
  const left = rows.length - prunedRowsMax;
  if (left <= 0) return withBreaks(pieces);
  const dropped = new Set(rows.slice(prunedRowsMax / 2, prunedRowsMax / 2 + left));
  const first = [...dropped][0];
  const more: Piece = { kind: 'row', text: `… ${left} more rows\n` };
  const kept = pieces.flatMap((piece) => {
    if (piece === first) return [more];
    return dropped.has(piece) ? [] : [piece];
  });
  return withBreaks(kept);
}

/** A run of rows ends with an empty line, as every item does. */
function withBreaks(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece, index) =>
    piece.kind === 'row' && pieces[index + 1]?.kind !== 'row'
      ? { ...piece, text: `${piece.text}\n` }
      : piece,
  );
}

function statusCard(view: View, turn: TurnView): string {
  const closed = turn.blocks.findLast(({ type }) => type === 'turn.close');
  const { reason, error } = (closed && dataOf('turn.close', closed)) ?? {};
  const ms = closed ? Date.parse(closed.at) - Date.parse(turn.openedAt) : 0;
  const { length } = turn.rounds;
  const rounds = length === 1 ? '1 round' : `${length} rounds`;
  const facts = [reason ?? 'open', rounds, `${Math.round(ms / 1_000)} s`];
  const said = error ? brief(`${error.code}: ${error.message}`, prunedErrorCharsMax) : undefined;
  const body = [...(said === undefined ? [] : [said]), ...planLines(view, turn)].join('\n');
  return item('TURN STATUS', facts, quote(body));
}

/** The plans as they are when the turn is pruned. For a closed plan only the finished steps: the others will not be done. */
function planLines({ plans }: View, { id }: TurnView): readonly string[] {
  return plans
    .filter((plan) => plan.last_turn_id === id && plan.superseded_ts === undefined)
    .flatMap((plan) => stepsToTell(plan).map((step) => stepLine(plan, step)))
    .map((line) => brief(line, prunedErrorCharsMax))
    .slice(-prunedPlanLinesMax);
}

/** 1-based. */
function stepsToTell(plan: PlanSnapshot): readonly number[] {
  const steps = plan.steps.map((_, index) => index + 1);
  if (plan.closed_ts === undefined) return steps;
  return steps.filter((step) => ['done', 'failed'].includes(statusOf(plan, step)));
}
