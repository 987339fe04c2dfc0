import type { VisibleTools } from '../../timeline/view.ts';
import { selectedToolsMax, toolsShownMax } from '../limits.ts';
import type { Tool } from '../ports/tool.ts';
import type { ToolGroup } from '../ports/tool-group.ts';

export type Equipment = {
  readonly tools: readonly Tool[];
  readonly groups: readonly ToolGroup[];
};

type LogState = {
  /** What the log says about the tools of this agent. Undefined: nothing. */
  readonly state: VisibleTools | undefined;
  readonly turn: string | undefined;
};

export type DividedTools = {
  readonly visible: readonly Tool[];
  readonly hidden: readonly Tool[];
};

/**
 * The one definition of what an agent sees: its prompt, its calls, its programs and whatever is prepared for them follow it.
 * Control tools are always visible. A tool of a switched-off group is hidden, and so is a tool that was not chosen for this turn.
 */
export function divideTools(equipment: Equipment, { state, turn }: LogState): DividedTools {
  const isOn = onGroups(equipment, state);
  const chosen = state?.selection?.turn === turn ? state?.selection?.tools : undefined;
  const choosable = new Set(chosen && selectable(equipment, state).map(({ spec }) => spec.id));
  const isVisible = ({ spec: { id, kind } }: Tool) => {
    if (kind === 'control') return true;
    if (!isOn.tool(id)) return false;
    return !choosable.has(id) || chosen?.includes(id) === true;
  };
  const visible = equipment.tools.filter(isVisible);
  return { visible, hidden: equipment.tools.filter((tool) => !visible.includes(tool)) };
}

/** Whether the agent has more tools than a prompt should describe, so that the best ones for each turn are chosen. */
export function needsSelection(
  equipment: Equipment,
  { state, turn }: LogState & { readonly turn: string },
): boolean {
  if (state?.selection?.turn === turn) return false;
  const isOn = onGroups(equipment, state);
  const shown = equipment.tools.filter((tool) => counts(tool) && isOn.tool(tool.spec.id));
  return shown.length > toolsShownMax && selectable(equipment, state).length > selectedToolsMax;
}

/** The tools among which a choice is made: those of groups that are on stay visible, as do control and exec tools. */
export function selectable(equipment: Equipment, state: VisibleTools | undefined): readonly Tool[] {
  const isOn = onGroups(equipment, state);
  const pinned = new Set(
    equipment.groups.filter((group) => isOn.group(group)).flatMap((group) => group.tools),
  );
  return equipment.tools.filter(
    (tool) => counts(tool) && isOn.tool(tool.spec.id) && !pinned.has(tool.spec.id),
  );
}

/** Whether anything can be hidden from this agent, now or later. */
export function mayHide({ tools, groups }: Equipment): boolean {
  return groups.some(({ active }) => !active) || tools.filter(counts).length > toolsShownMax;
}

/** Control tools and exec tools are part of how an agent works. */
function counts({ spec: { kind } }: Tool): boolean {
  return kind !== 'control' && kind !== 'exec';
}

function onGroups({ groups }: Equipment, state: VisibleTools | undefined) {
  const group = ({ id, active }: ToolGroup) => active || state?.groups.includes(id) === true;
  const off = new Set(groups.filter((each) => !group(each)).flatMap(({ tools }) => tools));
  const on = new Set(groups.filter(group).flatMap(({ tools }) => tools));
  return { group, tool: (id: string) => on.has(id) || !off.has(id) };
}
