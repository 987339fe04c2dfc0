import { z } from 'zod';
import type { ProgramMcpServer, WorkspaceSeed } from '../../contract/agent-settings.ts';
import { mcpServersMax } from '../../contract/limits.ts';

const texts = z.record(z.string(), z.string()).default({});
const Local = z.object({
  type: z.literal('stdio').default('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: texts,
});
const Remote = z.object({ type: z.enum(['http', 'sse']), url: z.string().min(1), headers: texts });
const McpFile = z.object({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

export const mcpFile = '.mcp.json';

/** The servers of `.mcp.json`, or what is wrong with the file. */
export function readMcpFile(
  files: readonly WorkspaceSeed[],
  refuse: (problem: string) => void,
): readonly ProgramMcpServer[] {
  const file = files.find(({ path }) => path === mcpFile);
  if (!file) return [];
  const json = parseJson(Buffer.from(file.bytes).toString('utf8'));
  if (json === undefined) {
    refuse(`${mcpFile} is not valid JSON`);
    return [];
  }
  const parsed = McpFile.safeParse(json);
  if (!parsed.success) {
    refuse(`${mcpFile} must have the form { "mcpServers": { name: server } }`);
    return [];
  }
  const entries = Object.entries(parsed.data.mcpServers);
  if (entries.length > mcpServersMax) refuse(`${mcpFile} has more than ${mcpServersMax} servers`);
  return entries.slice(0, mcpServersMax).flatMap(([name, entry]) => {
    const server = z.union([Local, Remote]).safeParse(entry);
    if (server.success) return { name, ...server.data };
    refuse(
      `${mcpFile}: server “${name}” needs a command, or a type (http or sse) and a url; args, env and headers are texts`,
    );
    return [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
