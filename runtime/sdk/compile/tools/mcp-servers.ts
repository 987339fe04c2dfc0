import { Fault } from '../../../base/fault.ts';
import { Scope } from '../../../base/scope.ts';
import { mcpServersMax, mcpTimeoutMs } from '../../contract/limits.ts';
import type { McpServer } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import type { Secret } from '../../define/keys.ts';
import { readSecret } from '../context/secrets.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import type {
  ServerAccess,
  ToolOffer,
  ToolServer,
  ToolServerSettings,
} from '../host/tool-servers.ts';
import type { Problems } from '../validate/problems.ts';

const idShape = /^[a-z][a-z0-9_]{0,29}$/;

/** Checks the servers that a bundle uses before connecting to any of them. */
export function checkServers({ definition }: LoadedBundle, problems: Problems): void {
  const { mcp, secrets = [] } = definition;
  const servers = mcp?.use ?? [];
  if (servers.length > mcpServersMax)
    problems.add(`it uses more than ${mcpServersMax} MCP servers`);
  const ids = servers.map(({ id }) => id);
  for (const [index, server] of servers.entries()) {
    const twice = ids.indexOf(server.id) === index ? [] : ['is declared twice'];
    const found = [...twice, ...problemsOf(server), ...secretProblems(server, secrets)];
    for (const problem of found) problems.add(`MCP server “${server.id}” ${problem}`);
  }
}

function problemsOf(server: McpServer): readonly string[] {
  const { allow = ['*'], deny = [] } = server;
  const both = allow.filter((pattern) => deny.includes(pattern));
  return [
    ...(idShape.test(server.id)
      ? []
      : ['must have an id in snake_case with at most 30 characters']),
    ...('url' in server === 'command' in server ? ['needs either a url or a command'] : []),
    ...('url' in server && !isAddress(server.url)
      ? ['has a url that is not valid or contains a password']
      : []),
    ...(both.length > 0 ? [`both allows and denies ${both.join(', ')}`] : []),
  ];
}

function secretProblems(server: McpServer, listed: readonly Secret[]): readonly string[] {
  return secretsOf(server).flatMap((secret) => {
    if (!isDefinition('secret', secret) || !listed.includes(secret)) {
      return [`names a secret “${secret.id}” that the bundle does not list`];
    }
    if (secret.for !== 'user') return [];
    return [
      `cannot use “${secret.id}”: the secret belongs to one user, but all users share a session`,
    ];
  });
}

function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function secretsOf(server: McpServer): readonly Secret[] {
  const given =
    'url' in server
      ? [server.bearer, ...Object.values(server.headers ?? {})]
      : Object.values(server.env ?? {});
  return given.filter((value) => value !== undefined && typeof value !== 'string');
}

export type ServerOffer = ToolOffer & { readonly id: string };

/** The open servers of a bundle. */
export type Servers = AsyncDisposable & {
  /** One offer per server, in the order of the bundle. */
  offers(): readonly ServerOffer[];
};

/**
 * Tries all servers once, in parallel. An unreachable server is retried in the background; if it is required, Fault
 * `MCP_UNREACHABLE` names it. If the installation calls no tools at all, no server is connected.
 */
export async function openServers(
  loaded: LoadedBundle,
  { signal, notice }: { signal: AbortSignal; notice(text: string): void },
): Promise<Servers> {
  const scope = new Scope();
  const { servers } = loaded.host;
  const used = servers ? (loaded.definition.mcp?.use ?? []) : [];
  const opened = await Promise.allSettled(
    used.map(async (server) => {
      const open = await servers?.open(settingsOf(server, loaded), { signal });
      return { server, open: open && scope.own(open) };
    }),
  );
  try {
    const ready = opened.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      const { server, open } = each.value;
      reportProblem(server, open, notice);
      return { id: server.id, open };
    });
    return {
      offers: () => ready.map(({ id, open }) => ({ tools: [], ...open?.offer(), id })),
      [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
    };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

function reportProblem(
  { id, required = false }: McpServer,
  open: ToolServer | undefined,
  notice: (text: string) => void,
): void {
  if (open?.problem === undefined) return;
  const because = `${id}: ${open.problem}`;
  if (required) throw new Fault('MCP_UNREACHABLE', { because, server: id });
  notice(
    `MCP server “${id}” is unreachable, and its tools are hidden until it is back: ${open.problem}`,
  );
}

function settingsOf(server: McpServer, loaded: LoadedBundle): ToolServerSettings {
  const { id, allow = ['*'], deny = [], timeoutMs = mcpTimeoutMs } = server;
  const { dir } = loaded;
  const place =
    'url' in server
      ? { kind: 'http' as const, url: server.url }
      : { kind: 'stdio' as const, command: server.command, args: server.args ?? [], dir };
  return { id, allow, deny, timeoutMs, place, access: () => accessOf(server, loaded) };
}

async function accessOf(server: McpServer, loaded: LoadedBundle): Promise<ServerAccess> {
  const given = Object.entries('url' in server ? (server.headers ?? {}) : (server.env ?? {}));
  const secrets: string[] = [];
  const read = async (value: string | Secret) => {
    if (typeof value === 'string') return value;
    const secret = await readSecret(value, loaded);
    secrets.push(secret);
    return secret;
  };
  const values: Record<string, string> = {};
  for (const [name, value] of given) values[name] = await read(value);
  if ('url' in server && server.bearer)
    values['authorization'] = `Bearer ${await read(server.bearer)}`;
  return { values, secrets };
}
