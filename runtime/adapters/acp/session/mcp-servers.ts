import type { AgentCapabilities, McpServer } from '@agentclientprotocol/sdk';
import type { ProgramMcpServer } from '../../../sdk/contract/agent-settings.ts';

/** The servers with the variables of the program in place. A variable that is not set, and has no default, stays as it is. */
export function toMcpServers(
  servers: readonly ProgramMcpServer[],
  env: Readonly<Record<string, string>>,
): readonly McpServer[] {
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) =>
      Object.hasOwn(env, name) ? (env[name] ?? '') : (otherwise ?? whole),
    );
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => ({ name, value: filled(value) }));
  return servers.map((server) => {
    const { name } = server;
    if (server.type !== 'stdio')
      return { type: server.type, name, url: filled(server.url), headers: pairs(server.headers) };
    const { command, args, env: own } = server;
    return { name, command: filled(command), args: args.map(filled), env: pairs(own) };
  });
}

/** Programs must be able to start servers; those that are reached by HTTP or SSE are optional. */
export function canUse({ mcpCapabilities }: AgentCapabilities, server: McpServer): boolean {
  return !('type' in server) || mcpCapabilities?.[server.type] === true;
}
