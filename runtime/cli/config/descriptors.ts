import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defaultProfile } from '../../../supervisor/cell/profile.ts';
import type { Json } from '../../base/json.ts';
import { agentOptions, models } from '../../sdk/compile/settings/agent-schema.ts';
import { reactSettings } from '../../sdk/compile/settings/operator-settings.ts';
import type { Path } from '../../sdk/compile/validate/parse-yaml.ts';
import { programTimeoutMaxMs } from '../../tools/exec/limits.ts';
import { sourceKeys, sourceProblem } from './bundle-sources.ts';
import { Fargate } from './fargate-settings.ts';
import { Gateway, projectId } from './gateway-schema.ts';
import {
  execCpusMax,
  execInodesMax,
  execPoolMax,
  execProcessesMax,
  execWorkspaceMbMax,
} from './limits.ts';
import { RetentionRule, serviceKeys } from './memory-settings.ts';
import { readYaml } from './yaml-file.ts';

const json: z.ZodType<Json> = z.json();
const text = z.string().min(1);
const count = z.int().positive();
/** As OAuth defines it. */
const scope = z.string().regex(/^[!#-[\]-~]+$/, 'one word without spaces, quotation marks and \\');

/** Days and months in UTC. */
const SpendLimits = z
  .strictObject({
    day_usd: z.number().positive(),
    month_usd: z.number().positive(),
    day_tokens: z.int().positive(),
    month_tokens: z.int().positive(),
    /** What a user may add when a limit is used up, and how often in its period. */
    extend: z.strictObject({
      usd: z.number().positive().optional(),
      tokens: z.int().positive().optional(),
      times: z.int().positive().default(1),
    }),
  })
  .partial();

/** Settings of the installation. */
export const Assembly = z.strictObject({
  tenant: projectId.optional(),
  project: projectId.optional(),
  data: z
    .strictObject({ dir: text, database: text, redis: text, blobs: text })
    .partial()
    .optional(),
  auth: z
    .strictObject({
      mode: z.enum(['dev', 'jwt']),
      issuer: text.optional(),
      audience: z.union([text, z.array(text).min(1)]).optional(),
      jwks_uri: z.url({ protocol: /^https?$/ }).optional(),
      jwks: text.optional(),
      scopes: z.array(scope).min(1).optional(),
      claims: z
        .strictObject({
          user: text.exactOptional(),
          tenant: text.exactOptional(),
          project: text.exactOptional(),
          roles: text.exactOptional(),
        })
        .optional(),
    })
    .optional(),
  models: models.optional(),
  embeddings: text.optional(),
  ai: z
    .strictObject({
      react: reactSettings,
    })
    .optional(),
  exec: z
    .strictObject({
      mode: z.enum(['auto', 'docker', 'process', 'fargate', 'off']),
      timeout_ms: count.max(programTimeoutMaxMs),
      pool: z.int().min(0).max(execPoolMax),
      cpus: z.number().positive().max(execCpusMax),
      processes: count.max(execProcessesMax),
      workspace_mb: count.max(execWorkspaceMbMax),
      inodes: count.max(execInodesMax),
      runtime: z.enum(['runc', 'runsc', 'crun']),
      docker: z.enum(['split', 'combined']),
      fargate: Fargate,
      /** What bundles and agents may choose instead; `images` requires Docker. */
      allow: z
        .strictObject({
          modes: z.array(z.enum(['docker', 'process', 'fargate'])),
          images: z.array(text),
          cpus: z.number().positive().max(execCpusMax),
        })
        .partial(),
    })
    .partial()
    .optional(),
  /** Whether bundle code runs in the worker or each bundle in its own process. */
  supervisors: z.enum(['in_worker', 'separate']).optional(),
  ...serviceKeys,
  retention: RetentionRule.optional(),
  /** What users and the tenant may spend on models. */
  spending: z.strictObject({ user: SpendLimits, tenant: SpendLimits }).partial().optional(),
  ceilings: z
    .strictObject({
      turn_cost_usd: z.number().positive(),
      exec_memory_mb: count.max(defaultProfile.ceilings.memoryMb),
      exec_timeout_ms: count.max(programTimeoutMaxMs),
    })
    .partial()
    .optional(),
});

/** The bundles, their paths and settings; the first is the default unless `default` names another. */
export const Bundles = z.strictObject({
  default: text.optional(),
  bundles: z.array(
    z
      .strictObject({
        id: text,
        ...sourceKeys,
        props: z.record(z.string(), json).optional(),
        agents: z.record(z.string(), agentOptions).optional(),
        /** `widgets.<id>`, `events.<kind>`, `operations.<id>`, `jobs.<id>`. */
        disable: z.array(text).optional(),
        retention: RetentionRule.optional(),
      })
      .superRefine((entry, context) => {
        const message = sourceProblem(entry);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
  ),
});

const sources = [text, z.strictObject({ env: text }), z.strictObject({ file: text })] as const;
const SecretValue = z.union(
  [...sources],
  'a secret is a value, { env: NAME } or { file: path }; secrets of bundles also { aws: NAME }',
);
const BundleSecretValue = z.union(
  [...sources, z.strictObject({ aws: text, key: text.optional() })],
  'a secret is a value, { env: NAME }, { file: path } or { aws: NAME }',
);
export const Secrets = z.record(z.string(), SecretValue);
export const BundleSecrets = z.record(z.string(), z.record(z.string(), BundleSecretValue));
export type SecretValue = z.infer<typeof SecretValue>;
export type BundleSecretValue = z.infer<typeof BundleSecretValue>;

export type Descriptors = {
  readonly assembly: z.infer<typeof Assembly>;
  readonly bundles: z.infer<typeof Bundles> | undefined;
  readonly gateway: z.infer<typeof Gateway>;
  readonly secrets: z.infer<typeof Secrets>;
  readonly bundleSecrets: z.infer<typeof BundleSecrets>;
  /** `file:line` of a path in one of the files. */
  place(name: DescriptorName, path: Path): string;
};

type DescriptorName = `${'assembly' | 'bundles' | 'gateway' | 'secrets' | 'bundles.secrets'}.yaml`;

const otherUsersMask = 0o077;

/** Reads the descriptors of a folder and adds every error, with file and line, to `problems`. */
export function readDescriptors(dir: string, problems: string[]): Descriptors {
  const places = new Map<DescriptorName, (path: Path) => string>();
  const read = <T>(name: DescriptorName, schema: z.ZodType<T>): T | undefined => {
    const file = join(dir, name);
    if (!existsSync(file)) return undefined;
    const { value, problems: found, place } = readYaml(file, schema);
    problems.push(...found);
    places.set(name, place);
    return value;
  };
  const readSecret = <T>(name: DescriptorName, schema: z.ZodType<T>): T | undefined => {
    const file = join(dir, name);
    const isOpen = existsSync(file) && (statSync(file).mode & otherUsersMask) !== 0;
    if (isOpen) problems.push(`${file}: other users can read this file; run chmod 600 ${file}`);
    return read(name, schema);
  };
  return {
    assembly: read('assembly.yaml', Assembly) ?? {},
    bundles: read('bundles.yaml', Bundles),
    gateway: read('gateway.yaml', Gateway) ?? {},
    secrets: readSecret('secrets.yaml', Secrets) ?? {},
    bundleSecrets: readSecret('bundles.secrets.yaml', BundleSecrets) ?? {},
    place: (name, path) => places.get(name)?.(path) ?? join(dir, name),
  };
}
