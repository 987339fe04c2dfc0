import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { GatewayDeps } from '../../gateway/ports/gateway-deps.ts';
import { type AuthSettings, toAuth } from './auth-settings.ts';
import { type BundleSource, ownPaths, toSource } from './bundle-sources.ts';
import { type Connections, toConnections } from './connections.ts';
import { type Descriptors, readDescriptors } from './descriptors.ts';
import { type ExecConfig, type ExecMode, toExecConfig } from './exec-settings.ts';
import { type FileSettings, toFileSettings } from './file-settings.ts';
import { secretsKeyCharsMin, workersMax } from './limits.ts';
import { type ModelConfig, toModelConfig } from './model-config.ts';
import { type MultiAction, toMultiAction } from './multi-action-setting.ts';
import { type BundleSecret, readSecrets, type SecretValues } from './secrets.ts';
import {
  type BlobLocation,
  bundlesInCurrentFolder,
  defaultDataDir,
  foldersOf,
  toBlobs,
  toDatabaseUrl,
  toRedisUrl,
} from './storage-settings.ts';

/** All settings of an operator, read once. assembly.yaml overrides the environment, which overrides the default. */
export type Config = FileSettings &
  ModelConfig &
  ExecConfig &
  Connections & {
    readonly host: string;
    readonly port: number;
    /** Package, descriptors with secrets, data and bundles: hidden from programs. */
    readonly ownFolders: readonly string[];
    readonly dataDir: string;
    readonly databaseUrl: string | undefined;
    readonly redisUrl: string | undefined;
    /** Undefined: a folder in the data directory. */
    readonly blobs: BlobLocation | undefined;
    /** Encrypts users' secrets. Undefined: a key file in the data directory is used. */
    readonly secretsKey: string | undefined;
    /** Undefined: the agent's setting. */
    readonly roundsMax: number | undefined;
    readonly multiAction: MultiAction | undefined;
    readonly contextMaxTokens: number | undefined;
    readonly auth: AuthSettings;
    /** The token that `timeloom chat` sends. */
    readonly token: string | undefined;
    readonly dockerHost: string | undefined;
    /** Whether bundle code runs in the worker or each bundle in its own process. */
    readonly supervisors: 'in_worker' | 'separate';
    /** Undefined: the gateway's default for every user. */
    readonly rates: GatewayDeps['limits'];
    readonly turnsMax: number | undefined;
    /** Worker processes of `serve`. Undefined: as many as suit the machine. */
    readonly workers: number | undefined;
    /** Bundle folders, or folders that contain bundle folders. */
    readonly bundleSources: readonly BundleSource[];
    /** Folders of eval cases that the studio shows. */
    readonly evals: readonly string[];
    readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly descriptors: Descriptors;
    /** Value of a bundle's secret; undefined: not set. */
    secret(bundle: string, id: string): BundleSecret | undefined;
  };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The current environment, for a process that starts another one with a few settings changed. */
export function environment(): Environment {
  return process.env;
}

/** Throws Fault `CONFIG_INVALID` with every problem, one per line. */
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
  const bundleSources: BundleSource[] = [
    ...(bundles?.bundles ?? []).map((entry) => toSource(entry, dir)),
    ...toList(env['TIMELOOM_BUNDLES']).map((path) => resolve(path)),
  ];
  // Inside a bundle folder, the default is that bundle.
  if (bundleSources.length === 0) bundleSources.push(...bundlesInCurrentFolder());
  return {
    port: toNumber(env, { name: 'TIMELOOM_PORT', min: 0, max: 65_535, problems }) ?? 3000,
    ...places,
    ownFolders: [dir, ...foldersOf(places), ...ownPaths(bundleSources)],
    ...toModelConfig(sources),
    ...reactOf(sources),
    secretsKey: secretsKeyOf(sources),
    token: nonEmpty(env['TIMELOOM_TOKEN']),
    ...auth,
    ...toExecConfig(execMode, sources),
    dockerHost: nonEmpty(env['DOCKER_HOST']),
    supervisors: assembly.supervisors ?? 'in_worker',
    rates: toRates(descriptors),
    ...toFileSettings(descriptors, auth.auth),
    turnsMax: descriptors.gateway.admission?.turns_per_worker,
    workers: toNumber(env, { name: 'TIMELOOM_WORKERS', min: 0, max: workersMax, problems }),
    bundleSources,
    evals: toList(env['TIMELOOM_EVALS']).map((path) => resolve(path)),
    ...toConnections({ ...sources, secret: (name) => secretOf(sources, name) }),
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
/** `dir`: the folder that relative paths start from. `where`: the source of the setting. */
type LocationSetting = {
  readonly text: string | undefined;
  readonly dir: string;
  readonly where: string;
};

function dataLocations(sources: Sources) {
  const { env, descriptors, dir, problems } = sources;
  const data = descriptors.assembly.data ?? {};
  const settingOf = (place: DataKey, name: string): LocationSetting => {
    const text = expand(data[place] ?? '', env);
    if (text === undefined) return { text: nonEmpty(env[name]), dir: '.', where: name };
    return { text, dir, where: descriptors.place('assembly.yaml', ['data', place]) };
  };
  const home = settingOf('dir', 'TIMELOOM_DATA_DIR');
  return {
    dataDir: resolve(home.dir, home.text ?? defaultDataDir()),
    databaseUrl: toDatabaseUrl(settingOf('database', 'DATABASE_URL'), problems),
    redisUrl: toRedisUrl(settingOf('redis', 'REDIS_URL'), problems),
    blobs: toBlobs(settingOf('blobs', 'TIMELOOM_BLOBS'), sources),
  };
}

function secretOf({ env, secrets }: Sources, name: string): string | undefined {
  return secrets.platform(name) ?? nonEmpty(env[name]);
}

function secretsKeyOf(sources: Sources): string | undefined {
  const name = 'TIMELOOM_SECRETS_KEY';
  const key = secretOf(sources, name);
  if (key !== undefined && key.length < secretsKeyCharsMin)
    sources.problems.push(`${name}: must have at least ${secretsKeyCharsMin} characters`);
  return key;
}

function reactOf({ env, descriptors, problems }: Sources) {
  const react = descriptors.assembly.ai?.react ?? {};
  const number = (name: string, max: number) => toNumber(env, { name, min: 1, max, problems });
  return {
    roundsMax: react.max_iterations ?? number('AI_REACT_MAX_ITERATIONS', 1_000),
    multiAction: react.multi_action ?? toMultiAction(env['AI_REACT_AGENT_MULTI_ACTION'], problems),
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
  if (/^\d+$/.test(text.trim()) && value >= min && value <= max) return value;
  problems.push(`${name}: “${text}” is not a whole number between ${min} and ${max}`);
  return undefined;
}

function toChoice<Choice extends string>(
  text: string | undefined,
  { name, of, problems }: { name: string; of: readonly [Choice, ...Choice[]]; problems: string[] },
): Choice {
  const choice = of.find((each) => each === text);
  if (choice !== undefined || text === undefined || text === '') return choice ?? of[0];
  problems.push(`${name}: “${text}” is not one of ${of.join(', ')}`);
  return of[0];
}
