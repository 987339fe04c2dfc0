import type { FargateSettings } from '../../adapters/fargate/settings/settings.ts';
import type { PlatformLimits } from '../../tools/exec/program/program-limits.ts';
import type { Descriptors } from './descriptors.ts';
import { toFargate } from './fargate-settings.ts';
import { execPoolDefault } from './limits.ts';

/** Resources and isolation of every program; undefined: the backend's default. */
export type ExecSettings = {
  readonly cpus: number | undefined;
  readonly inodes: number | undefined;
  readonly runtime: 'runc' | 'runsc' | 'crun' | undefined;
  /** Two containers for each execution, or one, which isolates less. */
  readonly docker: 'split' | 'combined' | undefined;
  readonly platform: PlatformLimits;
};

export type ExecMode = 'auto' | 'docker' | 'process' | 'fargate' | 'off';

export type ExecConfig = {
  readonly execMode: ExecMode;
  /** Set only in mode fargate. */
  readonly fargate: FargateSettings | undefined;
  readonly execTimeoutMs: number | undefined;
  /** Idle executors kept for each kind of program that agents write. */
  readonly execPool: number;
  readonly execLimits: ExecSettings;
  /** What bundles and agents may choose. */
  readonly execAllowance: ExecAllowance;
};

/** `exec.allow` of assembly.yaml. */
export type ExecAllowance = NonNullable<NonNullable<Descriptors['assembly']['exec']>['allow']>;

type Sources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly descriptors: Descriptors;
  readonly problems: string[];
};

export function toExecConfig(execMode: ExecMode, sources: Sources): ExecConfig {
  const { env, descriptors, problems } = sources;
  const { exec = {} } = descriptors.assembly;
  return {
    execMode,
    fargate: toFargate({
      mode: fargateMode(execMode, exec.allow),
      fargate: exec.fargate,
      env,
      problems,
    }),
    execTimeoutMs: exec.timeout_ms,
    // An idle task costs money, so a pool on Fargate must be configured explicitly.
    execPool: exec.pool ?? (execMode === 'fargate' ? 0 : execPoolDefault),
    execLimits: toExecSettings(execMode, sources),
    execAllowance: exec.allow ?? {},
  };
}

/** Settings of Fargate are also needed when agents may choose it. */
function fargateMode(mode: ExecMode, { modes = [] }: ExecAllowance = {}): ExecMode {
  return mode !== 'off' && modes.includes('fargate') ? 'fargate' : mode;
}

const withoutDocker: readonly ExecMode[] = ['process', 'fargate'];

/** Adds settings that only Docker supports to the problems, if the mode is another one. */
function toExecSettings(mode: ExecMode, { descriptors, problems }: Sources): ExecSettings {
  const { exec = {} } = descriptors.assembly;
  const { cpus, inodes, runtime, docker, processes, workspace_mb } = exec;
  for (const key of ['runtime', 'docker'] as const) {
    if (exec[key] === undefined || !withoutDocker.includes(mode)) continue;
    const place = descriptors.place('assembly.yaml', ['exec', key]);
    const fix = `the mode is ${mode}; remove it, or set mode: docker`;
    problems.push(`${place}: exec.${key}: only Docker supports it, and ${fix}`);
  }
  const platform = {
    ...(processes === undefined ? {} : { processes }),
    ...(workspace_mb === undefined ? {} : { workspaceMb: workspace_mb }),
  };
  return { cpus, inodes, runtime, docker, platform };
}
