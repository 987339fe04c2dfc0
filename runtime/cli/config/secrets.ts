import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AwsSecret } from '../../adapters/secrets/aws-secrets.ts';
import type { BundleSecretValue, Descriptors, SecretValue } from './descriptors.ts';

/** A value, or where it is read when it is needed. */
export type BundleSecret = string | AwsSecret;

export type SecretValues = {
  /** Value in `secrets.yaml`. */
  platform(id: string): string | undefined;
  /** Value of the bundle in `bundles.secrets.yaml`, else the platform's, except the platform's own secrets (`TIMELOOM_…`). */
  bundle(bundle: string, id: string): BundleSecret | undefined;
};

type Sources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the descriptors; relative files start from it. */
  readonly dir: string;
  readonly problems: string[];
};

/** Reads every secret once, so a missing file is reported at the start and not on first use. */
export function readSecrets(
  { secrets, bundleSecrets, place }: Descriptors,
  sources: Sources,
): SecretValues {
  const platform = valuesOf(secrets, sources, (id) => place('secrets.yaml', [id]));
  const bundles = new Map(
    Object.entries(bundleSecrets).map(([bundle, own]) => [
      bundle,
      bundleValuesOf(own, sources, (id) => place('bundles.secrets.yaml', [bundle, id])),
    ]),
  );
  return {
    platform: (id) => platform.get(id),
    // With these secrets, a bundle could sign tokens for any user.
    bundle: (bundle, id) =>
      bundles.get(bundle)?.get(id) ?? (id.startsWith('TIMELOOM_') ? undefined : platform.get(id)),
  };
}

function bundleValuesOf(
  secrets: Readonly<Record<string, BundleSecretValue>>,
  sources: Sources,
  place: (id: string) => string,
): ReadonlyMap<string, BundleSecret> {
  const values = new Map<string, BundleSecret>();
  for (const [id, value] of Object.entries(secrets)) {
    if (typeof value === 'object' && 'aws' in value) values.set(id, value);
    else for (const read of valuesOf({ [id]: value }, sources, place)) values.set(...read);
  }
  return values;
}

function valuesOf(
  secrets: Readonly<Record<string, SecretValue>>,
  sources: Sources,
  place: (id: string) => string,
): ReadonlyMap<string, string> {
  const values = Object.entries(secrets).map(([id, value]) => {
    return [id, readSecret(value, { ...sources, where: `${place(id)}: ${id}` }) ?? ''] as const;
  });
  return new Map(values.filter(([, value]) => value !== ''));
}

function readSecret(
  value: SecretValue,
  { env, dir, problems, where }: Sources & { readonly where: string },
): string | undefined {
  if (typeof value === 'string') return value;
  if ('env' in value) return env[value.env];
  try {
    return readFileSync(resolve(dir, value.file), 'utf8').trim();
  } catch (error) {
    problems.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
