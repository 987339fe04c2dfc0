import type { Readable, Writable } from 'node:stream';

/** Where an agent program finds things in its sandbox. */
export const agentPaths = {
  workspace: '/workspace',
  home: '/home/agent',
  /** Files of the user, read-only. */
  inputs: '/inputs',
  /** The only way out: a socket in this folder, and a port of the loopback interface that leads to it. */
  egress: '/run/egress',
  egressPort: 8377,
} as const;

export const egressSocket = 'egress.sock';

/** Runs agent programs: no network but the socket of the egress proxy, no secrets, nothing of this runtime. */
export type AgentSandbox = AsyncDisposable & {
  /** Fault `AGENT_FAILED`. */
  open(
    program: SandboxedProgram,
    options: { readonly signal: AbortSignal },
  ): Promise<SandboxedProcess>;
};

/** The folders of a workspace on this machine. */
export type AgentFolders = {
  /** Only the program may write these. */
  readonly workspace: string;
  readonly home: string;
  readonly inputs: string;
  /** Folder of the egress socket. */
  readonly egress: string;
};

export function agentFolders(folder: string): AgentFolders {
  const below = (name: keyof AgentFolders) => `${folder}/${name}`;
  return {
    ...{ workspace: below('workspace'), home: below('home') },
    ...{ inputs: below('inputs'), egress: below('egress') },
  };
}

export type SandboxedProgram = AgentFolders & {
  /** The program and its arguments, as in the sandbox. `node` is the Node.js of this runtime. */
  readonly command: readonly string[];
  /** Folders of this machine that the program sees read-only, under the same paths. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProgramLimits;
};

export type ProgramLimits = {
  readonly memoryMb: number;
  readonly cpus: number;
  readonly processes: number;
  /** The largest file that it may write. */
  readonly fileMb: number;
};

export type SandboxedProcess = AsyncDisposable & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** How it ended, with the end of its error output. */
  readonly exited: Promise<string>;
};

/** What a program may reach, and the model whose key it does not have. */
export type EgressPolicy = {
  /** `host` or `host:port`; a leading `*.` stands for every subdomain. */
  readonly hosts: readonly string[];
  /** Hosts that may be reached although their address is not public. */
  readonly privateHosts: readonly string[];
  readonly models: Readonly<Record<string, ModelRoute>>;
};

/** Requests below `/model/<name>/` go to this address, with the key of the installation. */
export type ModelRoute = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type EgressProxy = {
  /** Listens on a socket in this folder until it is disposed. */
  open(folder: string, policy: EgressPolicy): Promise<AsyncDisposable>;
};
