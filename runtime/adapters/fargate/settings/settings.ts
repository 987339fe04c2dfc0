import { sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';

/** Where tasks run and what they consist of. assembly.yaml has the same names in snake_case. */
export type FargateSettings = {
  readonly cluster: string;
  /** Family, or family:revision, with the containers `supervisor`, `keeper` and `executor`. */
  readonly taskDefinition: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly bucket: string;
  /** Prefix of every key in the bucket; may be empty. */
  readonly prefix: string;
  /** Endpoints of AWS-compatible services; AWS itself if absent. */
  readonly endpoints?: { readonly aws: string; readonly s3: string } | undefined;
};

/** Names that the deployed stack and the runtime must agree on. */
export const containers = {
  supervisor: 'supervisor',
  keeper: 'keeper',
  executor: 'executor',
} as const;
export const secretPrefix = 'timeloom/executions';
/** Environment variable that names the secret with a supervisor's launch payload. */
export const payloadVariable = 'TIMELOOM_PAYLOAD_SECRET';

/** User ids inside a task. */
export const uids = { executor: 1_001, supervisor: 1_002 } as const;

/** Folders of a task: volumes that live as long as it does. */
export const folders = {
  /** The stream and both outputs, and nothing else; read-only in the executor. */
  stream: '/run/timeloom',
  /** Has a folder with the files that the program gets copies of; read-only in the executor. */
  inputs: sandboxPaths.inputs,
  /** OUTPUT_DIR of the program, under the same name in both. */
  out: sandboxPaths.out,
} as const;
/** Socket between supervisor and keeper; no other container sees it. */
export const keeperSocketPath = '/run/timeloom-keeper/keeper.sock';
export const socketPath = `${folders.stream}/supervisor.sock`;
export const outputs = {
  stdout: `${folders.stream}/stdout`,
  stderr: `${folders.stream}/stderr`,
} as const;
