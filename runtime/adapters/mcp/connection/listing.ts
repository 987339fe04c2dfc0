import { absenceMsMax } from '../tools/limits.ts';
import type { ServerTool } from '../tools/read-tools.ts';

type KnownTool = {
  readonly tool: ServerTool;
  /** Since when the server does not have it; undefined: it has. Monotonic. */
  readonly goneMs: number | undefined;
};

/** What is known of the tools of a server, by their names. */
export type Listing = ReadonlyMap<string, KnownTool>;

export const emptyListing: Listing = new Map();

/** A listing came. What has not changed stays the same object; what is missing is still known for a while. */
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

/** The server is out of reach, and its tools with it. */
export function markMissing(before: Listing, nowMs: number): Listing {
  const still = [...before].filter(([, known]) => isVisible(known, nowMs));
  return new Map(still.map(([name, known]) => [name, { ...known, goneMs: known.goneMs ?? nowMs }]));
}

/** What the catalogue holds, by name: short absences do not show in it. */
export function visibleTools(listing: Listing, nowMs: number): readonly ServerTool[] {
  return [...listing.values()]
    .filter((known) => isVisible(known, nowMs))
    .map(({ tool }) => tool)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isVisible({ goneMs }: KnownTool, nowMs: number): boolean {
  return goneMs === undefined || nowMs - goneMs < absenceMsMax;
}
