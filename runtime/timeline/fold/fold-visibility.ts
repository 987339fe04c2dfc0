import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { VisibleTools } from '../view.ts';
import type { MutableView } from './mutable-view.ts';

/** Applies a block that changes which tools an agent sees, or what its prompt says about them. */
export function foldVisibility(work: MutableView, block: Block): void {
  if (block.type === 'tools.visibility') change(work, block);
  else if (block.type === 'round.open') openRound(work, block);
  else forgetDescriptions(work);
}

const nothing: VisibleTools = { groups: [], described: [] };

function change(work: MutableView, block: Block): void {
  const data = dataOf('tools.visibility', block);
  if (!data) return;
  const { agent, mode, groups, tools, described = [] } = data;
  const before = work.visible.get(agent) ?? nothing;
  const chosen = before.selection?.turn === block.turn ? before.selection.tools : undefined;
  const selected = mode === 'set' ? tools : chosen && union(chosen, tools ?? []);
  work.visible = new Map(work.visible).set(agent, {
    ...before,
    groups: mode === 'set' ? (groups ?? before.groups) : union(before.groups, groups ?? []),
    ...(selected ? { selection: { turn: block.turn, tools: selected } } : {}),
    described: union(before.described, described),
  });
}

function openRound(work: MutableView, block: Block): void {
  const shown = dataOf('round.open', block)?.shown_tools;
  if (shown) {
    const before = work.visible.get(shown.agent) ?? nothing;
    const made = { ...before, system: shown.tools, described: [] };
    work.visible = new Map(work.visible).set(shown.agent, made);
  }
  work.visibleInRound = work.visible;
}

/** The texts of pruned turns are gone, and with them what they said about tools. */
function forgetDescriptions(work: MutableView): void {
  if (![...work.visible.values()].some(({ described }) => described.length > 0)) return;
  work.visible = new Map(
    [...work.visible].map(([agent, tools]) => [agent, { ...tools, described: [] }]),
  );
}

function union(some: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...some, ...more])];
}
