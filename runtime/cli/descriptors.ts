import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { Json } from '../base/json.ts';

const json: z.ZodType<Json> = z.json();
const text = z.string().min(1);
const count = z.int().positive();

/** What this installation is. */
export const Assembly = z.strictObject({
  tenant: text.optional(),
  project: text.optional(),
  data: z
    .strictObject({ dir: text, database: text, redis: text, blobs: text })
    .partial()
    .optional(),
  auth: z
    .strictObject({
      mode: z.enum(['dev', 'jwt']),
      issuer: text.optional(),
      audience: text.optional(),
    })
    .optional(),
  models: z
    .partialRecord(z.enum(['decision', 'answer', 'summary', 'selection', 'small']), text)
    .optional(),
  ai: z
    .strictObject({
      react: z
        .strictObject({
          max_iterations: count,
          multi_action: z.enum(['off', 'safe_fanout']),
          context_max_tokens: count,
        })
        .partial(),
    })
    .optional(),
  exec: z
    .strictObject({
      mode: z.enum(['auto', 'docker', 'process', 'fargate', 'off']),
      timeout_ms: count,
      pool: z.int().nonnegative(),
    })
    .partial()
    .optional(),
  ceilings: z
    .strictObject({
      turn_cost_usd: z.number().positive(),
      exec_memory_mb: count,
      exec_timeout_ms: count,
    })
    .partial()
    .optional(),
});

/** Which bundles, from where, set how; the first is the default unless `default` names one. */
export const Bundles = z.strictObject({
  default: text.optional(),
  bundles: z.array(
    z.strictObject({
      id: text,
      path: text,
      props: z.record(z.string(), json).optional(),
      agents: z.record(z.string(), z.record(z.string(), json)).optional(),
      disable: z.array(text).optional(),
    }),
  ),
});

/** Who may come in, how often, how much. */
export const Gateway = z.strictObject({
  origins: z.array(text).optional(),
  rate: z
    .strictObject({ user: z.strictObject({ per_hour: count, per_minute: count }).partial() })
    .partial()
    .optional(),
  admission: z.strictObject({ turns_per_worker: count, queue_max: count }).partial().optional(),
  attachments: z
    .strictObject({ message_mb: count, image_mb: count, pdf_mb: count })
    .partial()
    .optional(),
});

const SecretValue = z.union([text, z.strictObject({ env: text }), z.strictObject({ file: text })]);
export const Secrets = z.record(z.string(), SecretValue);
export const BundleSecrets = z.record(z.string(), Secrets);
export type SecretValue = z.infer<typeof SecretValue>;

export type Descriptors = {
  readonly assembly: z.infer<typeof Assembly>;
  readonly bundles: z.infer<typeof Bundles> | undefined;
  readonly gateway: z.infer<typeof Gateway>;
  readonly secrets: z.infer<typeof Secrets>;
  readonly bundleSecrets: z.infer<typeof BundleSecrets>;
};

const othersMayRead = 0o077;

/** Reads the descriptors of a folder. Every complaint names its file and line; all are collected in `problems`. */
export function readDescriptors(dir: string, problems: string[]): Descriptors {
  const read = <T>(name: string, schema: z.ZodType<T>, secret = false): T | undefined => {
    const file = join(dir, name);
    if (!existsSync(file)) return undefined;
    if (secret && (statSync(file).mode & othersMayRead) !== 0) {
      problems.push(`${file}: others can read this file; run chmod 600 on it`);
    }
    return parseYaml({ file, source: readFileSync(file, 'utf8'), schema }, problems);
  };
  return {
    assembly: read('assembly.yaml', Assembly) ?? {},
    bundles: read('bundles.yaml', Bundles),
    gateway: read('gateway.yaml', Gateway) ?? {},
    secrets: read('secrets.yaml', Secrets, true) ?? {},
    bundleSecrets: read('bundles.secrets.yaml', BundleSecrets, true) ?? {},
  };
}

function parseYaml<T>(
  { file, source, schema }: { file: string; source: string; schema: z.ZodType<T> },
  problems: string[],
): T | undefined {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  for (const error of document.errors)
    problems.push(`${file}:${lines.linePos(error.pos[0]).line}: ${error.message}`);
  if (document.errors.length > 0) return undefined;
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const place = document.getIn(issue.path, true);
    const offset = isNode(place) ? (place.range?.[0] ?? 0) : 0;
    problems.push(
      `${file}:${lines.linePos(offset).line}: ${issue.path.join('.') || 'the file'}: ${issue.message}`,
    );
  }
  return undefined;
}
