import { sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';

/** Where tasks run and what they are made of; the same names in lower_case stand in assembly.yaml. */
export type FargateSettings = {
  readonly cluster: string;
  /** Family, or family:revision: two containers, `supervisor` and `executor`. */
  readonly taskDefinition: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly bucket: string;
  /** Before every key in the bucket; empty: none. */
  readonly prefix: string;
  /** Services that speak as AWS elsewhere. Absent: AWS. */
  readonly endpoints?: { readonly aws: string; readonly s3: string } | undefined;
};

/** Names of what the stack and we must agree about. */
export const containers = {
  supervisor: 'supervisor',
  keeper: 'keeper',
  executor: 'executor',
} as const;
export const secretPrefix = 'timeloom/executions';
/** Where a supervisor is told which secret holds its launch payload. */
export const payloadVariable = 'TIMELOOM_PAYLOAD_SECRET';

/** Users inside a task. */
export const uids = { executor: 1_001, supervisor: 1_002 } as const;

/** Folders of a task: volumes that end with it. */
export const folders = {
  /** The stream and both outputs, and nothing else; read-only in the executor. */
  stream: '/run/timeloom',
  /** What the program gets a copy of is a folder in here; read-only in the executor. */
  inputs: sandboxPaths.inputs,
  /** OUTPUT_DIR of the program, under the same name in both. */
  out: sandboxPaths.out,
} as const;
/** Of supervisor and keeper alone. */
export const keeperSocketPath = '/run/timeloom-keeper/keeper.sock';
export const socketPath = `${folders.stream}/supervisor.sock`;
export const outputs = {
  stdout: `${folders.stream}/stdout`,
  stderr: `${folders.stream}/stderr`,
} as const;
