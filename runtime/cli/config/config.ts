import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FargateSettings } from '../../adapters/fargate/settings/settings.ts';
import { Fault } from '../../base/fault.ts';
import type { GatewayDeps } from '../../gateway/ports/gateway-deps.ts';
import type { PlatformLimits } from '../../tools/exec/program/program-limits.ts';
import { type AuthSettings, toAuth } from './auth-settings.ts';
import { type Descriptors, readDescriptors } from './descriptors.ts';
import { toFargate } from './fargate-settings.ts';
import { type FileSettings, toFileSettings } from './file-settings.ts';
import { execPoolDefault, secretsKeyCharsMin } from './limits.ts';
import { type ModelConfig, toModelConfig } from './model-config.ts';
import { packageRoot } from './package-root.ts';
import { readSecrets, type SecretValues } from './secrets.ts';
import {
  type BlobLocation,
  bundlesInCurrentFolder,
  defaultDataDir,
  toBlobs,
} from './storage-settings.ts';

/** What every program gets, and what stands between it and the kernel; undefined: as the backend has it. */
export type ExecSettings = {
  readonly cpus: number | undefined;
  readonly inodes: number | undefined;
  readonly runtime: 'runc' | 'runsc' | 'crun' | undefined;
  /** Two containers for each execution, or one, which is weaker. */
  readonly docker: 'split' | 'combined' | undefined;
  readonly platform: PlatformLimits;
};

export type ExecMode = 'auto' | 'docker' | 'process' | 'fargate' | 'off';

/** Everything an operator can say, read once: assembly.yaml before the environment before the default. */
export type Config = FileSettings &
  ModelConfig & {
    readonly tenant: string;
    readonly project: string;
    readonly host: string;
    readonly port: number;
    /** The package, settings with secrets, data and bundles: no program's to see. */
    readonly ownFolders: readonly string[];
    readonly dataDir: string;
    readonly databaseUrl: string | undefined;
    readonly redisUrl: string | undefined;
    /** Undefined: a folder below the data directory. */
    readonly blobs: BlobLocation | undefined;
    /** Encrypts what users set for themselves. Undefined: a key file in the data directory does. */
    readonly secretsKey: string | undefined;
    /** Undefined: what the agent says. */
    readonly roundsMax: number | undefined;
    readonly multiAction: 'off' | 'safe_fanout' | undefined;
    readonly contextMaxTokens: number | undefined;
    readonly auth: AuthSettings;
    /** What `timeloom chat` shows to a server that asks. */
    readonly token: string | undefined;
    readonly execMode: ExecMode;
    /** Of the mode fargate, and of no other. */
    readonly fargate: FargateSettings | undefined;
    readonly execTimeoutMs: number | undefined;
    /** Executors that wait for each kind of program an agent writes. */
    readonly execPool: number;
    readonly execLimits: ExecSettings;
    readonly dockerHost: string | undefined;
    /** Where the code of bundles runs: with the worker, or each bundle in a process of its own. */
    readonly supervisors: 'in_worker' | 'separate';
    /** Undefined: what the gateway has for everybody. */
    readonly rates: GatewayDeps['limits'];
    readonly turnsMax: number | undefined;
    /** Folders of bundles, or parents of such. */
    readonly bundlePaths: readonly string[];
    readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly descriptors: Descriptors;
    /** Value of a bundle's secret; undefined: nobody set it. */
    secret(bundle: string, id: string): string | undefined;
  };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment as it stands, for a process that starts another with a few settings changed. */
export function environment(): Environment {
  return process.env;
}

/** Fault `CONFIG_INVALID` with every problem, one a line. */
export function readConfig(env: Environment = process.env): Config {
  const problems: string[] = [];
  const dir = resolve(nonEmpty(env['TIMELOOM_CONFIG_DIR']) ?? '.');
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    problems.push(`TIMELOOM_CONFIG_DIR: ${dir} is not a folder`);
  }
  const descriptors = readDescriptors(dir, problems);
  const secrets = readSecrets(descriptors, { env, dir, problems });
  const config = toConfig({ env, descriptors, secrets, dir, problems });
  if (problems.length > 0)
    throw new Fault('CONFIG_INVALID', { because: `\n  ${problems.join('\n  ')}`, problems });
  return config;
}

type Sources = {
  readonly env: Environment;
  readonly descriptors: Descriptors;
  readonly secrets: SecretValues;
  readonly dir: string;
  readonly problems: string[];
};

function toConfig(sources: Sources): Config {
  const { env, descriptors, dir, problems } = sources;
  const { assembly, bundles } = descriptors;
  const execMode = toChoice<ExecMode>(assembly.exec?.mode ?? env['TIMELOOM_EXEC_MODE'], {
    name: 'TIMELOOM_EXEC_MODE',
    of: ['auto', 'docker', 'process', 'fargate', 'off'],
    problems,
  });
  const places = dataLocations(sources);
  const auth = toAuth({ ...sources, secret: sources.secrets.platform });
  const bundlePaths = [
    ...(bundles?.bundles ?? []).map(({ path }) => resolve(dir, path)),
    ...toList(env['TIMELOOM_BUNDLES']).map((path) => resolve(path)),
  ];
  // In the folder of a bundle, that one is meant.
  if (bundlePaths.length === 0) bundlePaths.push(...bundlesInCurrentFolder());
  return {
    tenant: assembly.tenant ?? 'dev',
    project: assembly.project ?? 'dev',
    port: toNumber(env, { name: 'TIMELOOM_PORT', min: 0, max: 65_535, problems }) ?? 3000,
    ...places,
    ownFolders: [packageRoot(), dir, ...foldersOf(places), ...bundlePaths],
    ...toModelConfig(sources),
    ...reactOf(sources),
    secretsKey: secretsKeyOf(sources),
    token: nonEmpty(env['TIMELOOM_TOKEN']),
    ...auth,
    execMode,
    fargate: toFargate({ mode: execMode, fargate: assembly.exec?.fargate, env, problems }),
    execTimeoutMs: assembly.exec?.timeout_ms,
    // A task that waits is paid for: only whoever asks for it has one.
    execPool: assembly.exec?.pool ?? (execMode === 'fargate' ? 0 : execPoolDefault),
    execLimits: toExecSettings(execMode, sources),
    dockerHost: nonEmpty(env['DOCKER_HOST']),
    supervisors: assembly.supervisors ?? 'in_worker',
    rates: toRates(descriptors),
    ...toFileSettings(descriptors, auth.auth),
    turnsMax: descriptors.gateway.admission?.turns_per_worker,
    bundlePaths,
    logLevel: toChoice(env['TIMELOOM_LOG'], {
      name: 'TIMELOOM_LOG',
      of: ['info', 'debug', 'warn', 'error', 'silent'],
      problems,
    }),
    descriptors,
    secret: sources.secrets.bundle,
  };
}

function toRates({ gateway: { rate = {} } }: Descriptors): Config['rates'] {
  const { per_minute: perMinute, per_hour: perHour } = rate.user ?? {};
  const user = { ...(perMinute === undefined ? {} : { perMinute }), perHour };
  return { user, anonymousPerHour: rate.anonymous?.per_hour };
}

type DataKey = 'dir' | 'database' | 'redis' | 'blobs';
/** `dir`: the folder that a relative path is counted from. `where`: who said it. */
type LocationSetting = {
  readonly text: string | undefined;
  readonly dir: string;
  readonly where: string;
};

function dataLocations(sources: Sources) {
  const { env, descriptors, dir } = sources;
  const data = descriptors.assembly.data ?? {};
  const said = (place: DataKey, name: string): LocationSetting => {
    const text = expand(data[place] ?? '', env);
    if (text === undefined) return { text: nonEmpty(env[name]), dir: '.', where: name };
    return { text, dir, where: descriptors.place('assembly.yaml', ['data', place]) };
  };
  const home = said('dir', 'TIMELOOM_DATA_DIR');
  return {
    dataDir: resolve(home.dir, home.text ?? defaultDataDir()),
    databaseUrl: said('database', 'DATABASE_URL').text,
    redisUrl: said('redis', 'REDIS_URL').text,
    blobs: toBlobs(said('blobs', 'TIMELOOM_BLOBS'), sources),
  };
}

function foldersOf({ dataDir, blobs }: Pick<Config, 'dataDir' | 'blobs'>): readonly string[] {
  return blobs !== undefined && 'folder' in blobs ? [dataDir, blobs.folder] : [dataDir];
}

function secretsKeyOf({ env, secrets, problems }: Sources): string | undefined {
  const name = 'TIMELOOM_SECRETS_KEY';
  const key = secrets.platform(name) ?? nonEmpty(env[name]);
  if (key !== undefined && key.length < secretsKeyCharsMin)
    problems.push(`${name}: it needs at least ${secretsKeyCharsMin} characters`);
  return key;
}

function reactOf({ env, descriptors, problems }: Sources) {
  const react = descriptors.assembly.ai?.react ?? {};
  const number = (name: string, max: number) => toNumber(env, { name, min: 1, max, problems });
  return {
    roundsMax: react.max_iterations ?? number('AI_REACT_MAX_ITERATIONS', 1_000),
    multiAction: react.multi_action ?? toMultiAction(env, problems),
    contextMaxTokens: react.context_max_tokens ?? number('AI_REACT_CONTEXT_MAX_TOKENS', 10_000_000),
  };
}

function toList(text: string | undefined): readonly string[] {
  return (text ?? '').split(':').filter((each) => each !== '');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

function expand(text: string, env: Environment): string | undefined {
  return nonEmpty(text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? ''));
}

function toNumber(
  env: Environment,
  { name, min, max, problems }: { name: string; min: number; max: number; problems: string[] },
) {
  const text = nonEmpty(env[name]);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  problems.push(`${name}: “${text}” is not a whole number between ${min} and ${max}`);
  return undefined;
}

function toChoice<Word extends string>(
  text: string | undefined,
  { name, of, problems }: { name: string; of: readonly [Word, ...Word[]]; problems: string[] },
): Word {
  const word = of.find((each) => each === text);
  if (word !== undefined || text === undefined || text === '') return word ?? of[0];
  problems.push(`${name}: “${text}” is not one of ${of.join(', ')}`);
  return of[0];
}

const fanoutWords = ['safe_fanout', 'fanout', 'on', 'true', '1', 'yes'];

function toMultiAction(env: Environment, problems: string[]): Config['multiAction'] {
  const word = nonEmpty(env['AI_REACT_AGENT_MULTI_ACTION'])?.toLowerCase();
  if (word === undefined) return undefined;
  if (fanoutWords.includes(word)) return 'safe_fanout';
  if (['off', 'false', '0', 'no'].includes(word)) return 'off';
  problems.push(`AI_REACT_AGENT_MULTI_ACTION: “${word}” is neither off nor safe_fanout`);
  return undefined;
}

const withoutDocker: readonly ExecMode[] = ['process', 'fargate'];

function toExecSettings(mode: ExecMode, { descriptors, problems }: Sources): ExecSettings {
  const { exec = {} } = descriptors.assembly;
  const { cpus, inodes, runtime, docker, processes, workspace_mb } = exec;
  for (const key of ['runtime', 'docker'] as const) {
    if (exec[key] === undefined || !withoutDocker.includes(mode)) continue;
    const place = descriptors.place('assembly.yaml', ['exec', key]);
    const fix = `the mode is ${mode}; remove it, or say mode: docker`;
    problems.push(`${place}: exec.${key}: only Docker knows it, and ${fix}`);
  }
  const platform = {
    ...(processes === undefined ? {} : { processes }),
    ...(workspace_mb === undefined ? {} : { workspaceMb: workspace_mb }),
  };
  return { cpus, inodes, runtime, docker, platform };
}
