import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { sourcesMax } from '../limits.ts';
import { type BlockPath, formatPath, parsePath, paths, toBlockPath } from '../paths.ts';
import type { PlanSnapshot, SourceRow } from '../view.ts';
import { foldVisibility } from './fold-visibility.ts';
import type { MutableView } from './mutable-view.ts';

/** Applies a block to the pools that outlive its turn. A pool is copied only when it changes. */
export function foldPool(work: MutableView, block: Block): void {
  switch (block.type) {
    case 'react.plan':
      work.plans = withPlan(work.plans, dataOf('react.plan', block));
      return;
    case 'source.row':
      work.sources = withSource(work.sources, dataOf('source.row', block));
      return;
    case 'view.hide':
    case 'view.unhide':
      foldHide(work, block);
      return;
    case 'view.prune':
      foldPrune(work, block);
      foldVisibility(work, block);
      return;
    case 'tools.visibility':
    case 'round.open':
      foldVisibility(work, block);
      return;
    case 'approval.close':
      foldApproval(work, block);
      return;
    case 'workspace.pull':
      work.pulled = new Set([
        ...work.pulled,
        ...(dataOf('workspace.pull', block)?.paths ?? []).map(toBlockPath),
      ]);
      return;
    default:
      return;
  }
}

function foldHide(work: MutableView, block: Block): void {
  const hidden = new Map(work.hidden);
  const hide = block.type === 'view.hide' ? dataOf('view.hide', block) : undefined;
  const path = hide?.path ?? dataOf('view.unhide', block)?.path ?? '';
  for (const each of unitsOf(path)) {
    if (hide) hidden.set(each, hide.replacement);
    else hidden.delete(each);
  }
  work.hidden = hidden;
}

function foldPrune(work: MutableView, block: Block): void {
  const { turns = [], paths: shortened = [] } = dataOf('view.prune', block) ?? {};
  work.pruned = new Map([...work.pruned, ...turns.map(({ turn, text }) => [turn, text] as const)]);
  work.hidden = new Map([
    ...work.hidden,
    ...shortened.map(({ path, text }) => [toBlockPath(path), text] as const),
  ]);
}

function foldApproval(work: MutableView, block: Block): void {
  const { tool, outcome, remember } = dataOf('approval.close', block) ?? {};
  const said = outcome === 'allowed' || outcome === 'denied';
  if (tool === undefined || !said || remember !== 'conversation') return;
  work.toolDecisions = new Map([...work.toolDecisions, [tool, outcome === 'allowed']]);
}

/** The paths under which an item is rendered: a selection of sources is rendered row by row. */
export function unitsOf(text: string): readonly BlockPath[] {
  const path = parsePath(text);
  if (path?.family === 'so') return path.sids.map(paths.source);
  return [path ? formatPath(path) : toBlockPath(text)];
}

function withPlan(
  plans: readonly PlanSnapshot[],
  plan: PlanSnapshot | undefined,
): readonly PlanSnapshot[] {
  if (!plan) return plans;
  const index = plans.findIndex(({ plan_id }) => plan_id === plan.plan_id);
  return index < 0 ? [...plans, plan] : plans.with(index, plan);
}

/** A sid keeps its position; its newest row counts. */
function withSource(
  sources: readonly SourceRow[],
  row: SourceRow | undefined,
): readonly SourceRow[] {
  if (!row) return sources;
  const index = sources.findLastIndex(({ sid }) => sid <= row.sid);
  if (sources[index]?.sid === row.sid) return sources.with(index, row);
  if (sources.length >= sourcesMax) return sources;
  return sources.toSpliced(index + 1, 0, row);
}
