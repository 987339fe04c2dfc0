import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { extractFiles } from './extract.ts';
import { copiesMax } from './limits.ts';
import { isCommit, type ResolvedRef, resolveRef } from './resolve-ref.ts';
import { type GitAccess, GitError, runGit } from './run-git.ts';

export type GitFolder = {
  readonly url: string;
  /** A tag, branch or commit; undefined: the default branch. */
  readonly ref?: string | undefined;
  /** The commit that `ref` must name. */
  readonly commit?: string | undefined;
  /** A folder of the repository; undefined: all of it. */
  readonly subdir?: string | undefined;
  /** File of the SSH keys whose signature the tag must have, in the format of `ssh-keygen -Y`. */
  readonly signers?: string | undefined;
};

type Place = {
  /** Keeps copies, by commit. */
  readonly cacheDir: string;
  readonly access: GitAccess;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/**
 * A folder with the files of a repository at one commit. A commit is downloaded once; a tag or branch is looked up each
 * time, and if the server cannot be reached, the copy that it named last is used. Faults `SOURCE_UNREACHABLE`,
 * `SOURCE_REFUSED`.
 */
export async function fetchFolder(
  source: GitFolder,
  place: Place,
): Promise<{ readonly folder: string; readonly commit: string }> {
  const home = join(place.cacheDir, digest(source.url));
  const found = await commitOf(source, home, place);
  const { commit } = found;
  if (source.commit !== undefined && source.commit !== commit) {
    throw refused(source, `it names the commit ${commit}, not ${source.commit}`);
  }
  const folder = join(home, `${commit}-${digest(JSON.stringify(await variantOf(source)))}`);
  if (!existsSync(folder)) await download(source, { ...place, home, folder, found });
  await remember(home, source, commit);
  await removeOld(home, folder);
  return { folder, commit };
}

/** What a copy depends on besides its commit. A signature holds for one tag and the keys of its time. */
async function variantOf(source: GitFolder): Promise<readonly unknown[]> {
  const { ref, subdir, signers } = source;
  if (signers === undefined) return [subdir];
  const keys = await readFile(signers, 'utf8').catch(() => {
    throw refused(source, `the file of its signers, ${signers}, cannot be read`);
  });
  return [subdir, ref, keys];
}

async function commitOf(source: GitFolder, home: string, place: Place): Promise<ResolvedRef> {
  try {
    return await resolveRef(source, place);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const record = join(home, refRecord(source));
    const commit = existsSync(record) ? (await readFile(record, 'utf8')).trim() : '';
    if (!isCommit(commit)) throw unreachable(source, error);
    const { url, ref } = source;
    place.log.warn('repository not reachable, its last copy is used', { url, ref, commit, error });
    return { commit, name: undefined };
  }
}

type Download = Place & {
  readonly home: string;
  readonly folder: string;
  readonly found: ResolvedRef;
};

/** Into a draft, which is renamed when it is complete: another process may download the same commit. */
async function download(source: GitFolder, target: Download): Promise<void> {
  const { home, folder } = target;
  await mkdir(home, { recursive: true });
  const draft = await mkdtemp(join(home, 'draft-'));
  try {
    const files = join(draft, 'files');
    await mkdir(files);
    await checkOut(source, { ...target, draft, files });
    await rename(files, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw refused(source, error.message);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function checkOut(
  source: GitFolder,
  { draft, files, found, access, signal }: Download & { draft: string; files: string },
): Promise<void> {
  const { url, ref, subdir, signers } = source;
  const repository = join(draft, 'repository');
  const git = (...args: string[]) =>
    runGit([`--git-dir=${repository}`, ...args], { signal, url, access });
  await runGit(['init', '--quiet', '--bare', '--template=', repository], { signal, access });
  const wanted = found.name ?? found.commit;
  // Below refs/tags, because a signed tag is an object of its own, which cannot be a branch.
  const fetch = ['fetch', '--quiet', '--depth=1', '--no-tags', '--', url];
  await git(...fetch, `${wanted}:refs/tags/wanted`).catch((error: unknown) => {
    throw error instanceof GitError ? unreachable(source, error) : error;
  });
  if (signers !== undefined) await verify(git, { ref, signers });
  const archive = join(draft, 'files.tar');
  const tree = subdir === undefined ? found.commit : `${found.commit}:${subdir}`;
  await git('archive', '--format=tar', `--output=${archive}`, tree);
  await extractFiles(archive, files);
}

type Git = (...args: string[]) => Promise<Buffer>;

async function verify(
  git: Git,
  { ref = '', signers }: { ref: string | undefined; signers: string },
) {
  const program = ['-c', `gpg.ssh.allowedSignersFile=${signers}`, '-c', 'gpg.program=false'];
  try {
    const name = await git(...program, 'verify-tag', '--format=%(tag)', 'refs/tags/wanted');
    // Otherwise the signed tag of an older version would do.
    if (name.toString().trim() === ref) return;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
  }
  throw new GitError(`the tag “${ref}” has no valid signature of a key in ${signers}`);
}

async function remember(home: string, source: GitFolder, commit: string): Promise<void> {
  const draft = join(home, `draft-${randomUUID()}`);
  await writeFile(draft, commit);
  await rename(draft, join(home, refRecord(source)));
}

function refRecord({ ref = 'HEAD' }: GitFolder): string {
  return `ref-${digest(ref)}`;
}

async function removeOld(home: string, current: string): Promise<void> {
  const copies = (await readdir(home)).filter((name) => isCommit(name.slice(0, 40)));
  const aged = await Promise.all(
    copies.map(async (name) => ({
      path: join(home, name),
      ms: (await stat(join(home, name))).mtimeMs,
    })),
  );
  const others = aged.filter(({ path }) => path !== current).toSorted((a, b) => b.ms - a.ms);
  for (const { path } of others.slice(copiesMax)) await rm(path, { recursive: true, force: true });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function unreachable({ url }: GitFolder, cause: GitError): Fault {
  return new Fault('SOURCE_UNREACHABLE', { because: `${url}: ${cause.message}` }, { cause });
}

function refused({ url, ref = 'HEAD' }: GitFolder, why: string): Fault {
  return new Fault('SOURCE_REFUSED', { because: `${url} ${ref}: ${why}` });
}
