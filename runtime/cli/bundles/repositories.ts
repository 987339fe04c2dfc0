import { join } from 'node:path';
import { fetchFolder, type GitFolder } from '../../adapters/git/fetch-folder.ts';
import type { Log } from '../../base/log.ts';
import { type Config, environment } from '../config/config.ts';

type Options = { readonly log: Log; readonly signal: AbortSignal };
type Settings = Pick<Config, 'dataDir' | 'gitToken' | 'bundleSources'>;

/** Returns the folder of a repository at one commit, downloaded once. */
export type ReadRepository = (source: GitFolder) => Promise<string>;

/** Repositories that bundles are read from, or take their knowledge from. Faults `SOURCE_UNREACHABLE`, `SOURCE_REFUSED`. */
export function createRepositories(
  { dataDir, gitToken, bundleSources }: Settings,
  { log, signal }: Options,
): ReadRepository {
  const own = new Set(
    bundleSources.flatMap((source) => (typeof source === 'string' ? [] : originOf(source.url))),
  );
  return async (source) => {
    // A bundle may name any repository: only the servers that the operator names get the token.
    const isOwn = originOf(source.url).some((origin) => own.has(origin));
    const access = { token: isOwn ? gitToken : undefined, env: environment() };
    const cacheDir = join(dataDir, 'repositories');
    const { folder, commit } = await fetchFolder(source, { cacheDir, access, log, signal });
    log.info('repository read', { url: source.url, ref: source.ref, commit });
    return folder;
  };
}

function originOf(url: string): readonly string[] {
  return URL.canParse(url) ? [new URL(url).origin] : [];
}
