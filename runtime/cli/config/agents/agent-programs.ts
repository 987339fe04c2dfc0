import { z } from 'zod';
import type { InstalledProgram } from '../../../adapters/acp/open-agents.ts';
import { agentPaths, type ModelRoute } from '../../../engine/ports/agent-sandbox.ts';
import {
  agentCpusDefault,
  agentFileMbDefault,
  agentKeepDaysDefault,
  agentMemoryMbDefault,
  agentProcessesDefault,
  agentWorkspaceMbDefault,
} from './limits.ts';

const text = z.string().min(1);
const count = z.int().positive();
/** `host`, `*.host`, with or without a port. */
const host = z
  .string()
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i,
    'a host, such as registry.npmjs.org',
  );

const Program = z.strictObject({
  /** As in the sandbox, where `node` is the Node.js of this runtime. */
  command: z.array(text).min(1),
  /** Folders that the program sees read-only: those in which it is installed. */
  folders: z.array(z.string().regex(/^\//, 'an absolute path')).default([]),
  env: z.record(z.string(), z.string()).default({}),
  model: z
    .strictObject({
      api: z.enum(['anthropic', 'openai', 'gemini']),
      url: z.url({ protocol: /^https?$/ }).optional(),
      /** Name of the secret. */
      key: text.optional(),
    })
    .optional(),
  /** Hosts that bundles may allow the program to reach. */
  hosts: z.array(host).default([]),
  /** Out of them, those whose address is not public. */
  private_hosts: z.array(host).default([]),
  memory_mb: count.default(agentMemoryMbDefault),
  cpus: z.number().positive().default(agentCpusDefault),
  processes: count.default(agentProcessesDefault),
  file_mb: count.default(agentFileMbDefault),
  workspace_mb: count.default(agentWorkspaceMbDefault),
});

/** `agents` of assembly.yaml: the agent programs of this installation. */
export const Agents = z.strictObject({
  workspaces: text.optional(),
  /** What isolates the programs. */
  mode: z.enum(['process', 'docker']).default('process'),
  /** For Docker: an image with Node.js and what the programs need. */
  image: text.optional(),
  /** A workspace that was unused for this long is removed. */
  keep_days: count.default(agentKeepDaysDefault),
  programs: z.record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'a lower-case name'), Program),
});

export type AgentPrograms = {
  /** Undefined: beside the data directory. */
  readonly workspaces: string | undefined;
  readonly mode: 'process' | 'docker';
  readonly image: string | undefined;
  readonly keepDays: number;
  readonly programs: Readonly<Record<string, InstalledProgram>>;
};

type Parts = {
  /** Value of a secret of the platform, else of the environment. */
  secret(name: string): string | undefined;
  /** `file:line` of the programs. */
  readonly place: string;
  readonly problems: string[];
};

/** Undefined: the installation has no agent programs. Missing keys are added to `problems`. */
export function toAgentPrograms(
  settings: z.infer<typeof Agents> | undefined,
  parts: Parts,
): AgentPrograms | undefined {
  if (!settings) return undefined;
  const { programs, keep_days: keepDays, mode, ...places } = settings;
  if (mode === 'process' && places.image !== undefined)
    parts.problems.push(`${parts.place}: image requires agents.mode: docker`);
  const installed = Object.entries(programs).map(
    ([name, program]) => [name, toProgram(name, program, parts)] as const,
  );
  const { workspaces, image } = places;
  return { workspaces, mode, image, keepDays, programs: Object.fromEntries(installed) };
}

const apis = {
  anthropic: {
    url: 'https://api.anthropic.com',
    key: 'ANTHROPIC_API_KEY',
    base: 'ANTHROPIC_BASE_URL',
    header: (key: string) => ({ 'x-api-key': key }),
  },
  openai: {
    url: 'https://api.openai.com/v1',
    key: 'OPENAI_API_KEY',
    base: 'OPENAI_BASE_URL',
    header: (key: string) => ({ authorization: `Bearer ${key}` }),
  },
  gemini: {
    url: 'https://generativelanguage.googleapis.com',
    key: 'GEMINI_API_KEY',
    base: 'GOOGLE_GEMINI_BASE_URL',
    header: (key: string) => ({ 'x-goog-api-key': key }),
  },
} as const;

const proxy = `http://127.0.0.1:${agentPaths.egressPort}`;
/** Programs refuse to start without a key. The proxy replaces it. */
const placeholder = 'added-by-the-egress-proxy';

function toProgram(
  name: string,
  { model, hosts, private_hosts, command, folders, env, ...limits }: z.infer<typeof Program>,
  parts: Parts,
): InstalledProgram {
  const route = model && toRoute(name, model, parts);
  const models: Record<string, ModelRoute> = model && route ? { [model.api]: route } : {};
  return {
    ...{ command, folders },
    env: { ...proxyEnvironment, ...(model ? modelEnvironment(model.api) : {}), ...env },
    egress: { hosts, privateHosts: private_hosts.map((each) => each.replace(/:\d+$/, '')), models },
    limits: {
      memoryMb: limits.memory_mb,
      cpus: limits.cpus,
      processes: limits.processes,
      fileMb: limits.file_mb,
      workspaceMb: limits.workspace_mb,
    },
  };
}

type ModelSetting = NonNullable<z.infer<typeof Program>['model']>;

function toRoute(
  name: string,
  { api, url, key: stated }: ModelSetting,
  { secret, place, problems }: Parts,
): ModelRoute {
  const { url: usual, key: usualKey, base, header } = apis[api];
  const keyName = stated ?? usualKey;
  const key = secret(keyName);
  if (key === undefined)
    problems.push(`${place}: ${name}: set ${keyName} in secrets.yaml or in the environment`);
  return { url: url ?? secret(base) ?? usual, headers: header(key ?? '') };
}

const proxyEnvironment = {
  ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
  ...{ NO_PROXY: 'localhost,127.0.0.1', no_proxy: 'localhost,127.0.0.1' },
};

function modelEnvironment(api: ModelSetting['api']): Readonly<Record<string, string>> {
  const { key, base } = apis[api];
  return { [base]: `${proxy}/model/${api}`, [key]: placeholder };
}
