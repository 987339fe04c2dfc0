import { absenceMsMax } from '../tools/limits.ts';
import type { ServerTool } from '../tools/read-tools.ts';

type KnownTool = {
  readonly tool: ServerTool;
  /** Monotonic time since which the tool is missing; undefined if the server has it. */
  readonly goneMs: number | undefined;
};

/** The known tools of a server, by name. */
export type Listing = ReadonlyMap<string, KnownTool>;

export const emptyListing: Listing = new Map();

/** Updates the known tools from a new listing. Unchanged tools stay the same objects; missing tools stay known for a while. */
export function updateListing(
  before: Listing,
  tools: readonly ServerTool[],
  nowMs: number,
): Listing {
  const listed = tools.map((tool) => {
    const known = before.get(tool.name)?.tool;
    return [
      tool.name,
      { tool: known?.json === tool.json ? known : tool, goneMs: undefined },
    ] as const;
  });
  const there = new Set(listed.map(([name]) => name));
  return new Map([
    ...[...markMissing(before, nowMs)].filter(([name]) => !there.has(name)),
    ...listed,
  ]);
}

/** Marks all tools as missing when the server is unreachable. */
export function markMissing(before: Listing, nowMs: number): Listing {
  const still = [...before].filter(([, known]) => isVisible(known, nowMs));
  return new Map(still.map(([name, known]) => [name, { ...known, goneMs: known.goneMs ?? nowMs }]));
}

/** The tools in the catalogue, by name; short absences are hidden. */
export function visibleTools(listing: Listing, nowMs: number): readonly ServerTool[] {
  return [...listing.values()]
    .filter((known) => isVisible(known, nowMs))
    .map(({ tool }) => tool)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isVisible({ goneMs }: KnownTool, nowMs: number): boolean {
  return goneMs === undefined || nowMs - goneMs < absenceMsMax;
}
