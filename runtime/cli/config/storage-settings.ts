import { resolve } from 'node:path';
import { isBundle } from '../../adapters/bundles/find.ts';
import type { S3Location } from '../../adapters/s3/objects.ts';
import { packageRoot } from '../../base/package-root.ts';
import { serviceUrl } from './service-url.ts';

export type BlobLocation = { readonly folder: string } | S3Location;

/** `dir`: the folder that relative paths start from. `where`: the source of the setting. */
type LocationSetting = {
  readonly text: string | undefined;
  readonly dir: string;
  readonly where: string;
};
type Sources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly problems: string[];
};

/** The current folder, if it is a bundle. */
export function bundlesInCurrentFolder(): readonly string[] {
  const here = resolve('.');
  return isBundle(here) ? [here] : [];
}

/** In a bundle folder, a hidden folder, because any other new file would count as a change of the bundle. */
export function defaultDataDir(): string {
  return bundlesInCurrentFolder().length > 0 ? './.timeloom/data' : './data';
}

/** The folders of the installation itself: its package and its data. */
export function foldersOf(data: {
  readonly dataDir: string;
  readonly blobs: BlobLocation | undefined;
}): readonly string[] {
  const { dataDir, blobs } = data;
  const blobFolder = blobs !== undefined && 'folder' in blobs ? [blobs.folder] : [];
  return [packageRoot(), dataDir, ...blobFolder];
}

/** Parses `file:<folder>` or `s3://<bucket>/<prefix>`. */
export function toBlobs(
  { text, dir, where }: LocationSetting,
  { env, problems }: Sources,
): BlobLocation | undefined {
  if (text === undefined) return undefined;
  const folder = /^file:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (folder !== undefined) return { folder: resolve(dir, folder) };
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*?))?\/*$/.exec(text) ?? [];
  const endpoint = env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined;
  if (bucket !== undefined) return { bucket, prefix, endpoint };
  problems.push(`${where}: “${text}” is not file:<folder> or s3://<bucket>/<prefix>`);
  return undefined;
}

export function toDatabaseUrl(setting: LocationSetting, problems: string[]): string | undefined {
  return serviceUrl(setting, { of: 'database', problems });
}

export function toRedisUrl(setting: LocationSetting, problems: string[]): string | undefined {
  return serviceUrl(setting, { of: 'redis', problems });
}
