import type { Toolset } from '../ports/tool.ts';

/** Why a hidden tool does not run, and how to bring it into view. */
export function hiddenText(tool: string, { groups }: Pick<Toolset, 'groups'>): string {
  const group = groups.find(({ on, tools }) => !on && tools.includes(tool));
  const why = group
    ? `is in the group “${group.id}”, which is switched off`
    : 'was not chosen for this turn';
  const input = JSON.stringify({ add: [group?.id ?? tool] });
  return `${tool} ${why}. It can be called in the round after react.tools ${input}.`;
}
