import { readTools, type ServerTool } from '../../../../runtime/adapters/mcp/tools/read-tools.ts';
import type { ToolSpec } from '../../../../runtime/tools/ports/tool.ts';

/** The one tool of a listing that is fine. */
export function only(listed: object): ServerTool {
  const { tools, left } = readTools([listed]);
  if (!tools[0]) throw new Error(left.join('; '));
  return tools[0];
}

/** As the catalogue gets it. */
export function compiled({ name, description, parameters }: ServerTool): ToolSpec {
  return {
    id: `mcp.demo.${name}`,
    ...{ description, parameters },
    traits: [],
    effects: 'none',
    concurrency: 'safe',
    timeoutMs: 1_000,
    resultLimit: 1_000,
    kind: 'platform',
  };
}
