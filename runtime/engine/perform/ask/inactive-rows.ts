import { brief } from '../../../timeline/render/text.ts';
import type { VisibleAgent } from '../../agent/visible-agent.ts';
import { inactiveGroupsMax, inactiveRowChars, inactiveRowsMax } from '../../limits.ts';

/** Groups that are off, and tools that were not chosen, with the way to bring them into view. */
export function inactiveRows({ toolset }: Pick<VisibleAgent, 'toolset'>): readonly string[] {
  if (!toolset) return [];
  const off = toolset.groups.filter(({ on }) => !on);
  const inGroups = new Set(off.flatMap(({ tools }) => tools));
  const others = toolset.hidden.map(({ spec }) => spec.id).filter((id) => !inGroups.has(id));
  if (off.length + others.length === 0) return [];
  const groups = off.map(({ id, description, tools }) =>
    brief(`group ${id}: ${description} (${tools.join(', ')})`, inactiveRowChars),
  );
  return [
    ...groups.slice(0, inactiveGroupsMax),
    ...more(groups.length - inactiveGroupsMax, 'groups'),
    ...(others.length > 0 ? notChosen(others) : []),
    'react.tools {"add":["NAME"]} brings a group or a tool into view',
  ];
}

/** As many ids to a row as fit. */
function notChosen(ids: readonly string[]): readonly string[] {
  const rows: string[] = ['not chosen for this turn:'];
  let listed = 0;
  for (const id of ids) {
    const longer = `${rows.at(-1)}${listed === 0 ? '' : ','} ${id}`;
    if (longer.length <= inactiveRowChars) rows[rows.length - 1] = longer;
    else if (rows.length < inactiveRowsMax) rows.push(id);
    else break;
    listed += 1;
  }
  return [...rows, ...more(ids.length - listed, 'tools')];
}

function more(count: number, what: string): readonly string[] {
  return count > 0 ? [`… ${count} more ${what}`] : [];
}
