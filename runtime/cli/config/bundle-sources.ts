import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { GitFolder } from '../../adapters/git/fetch-folder.ts';

/** A folder of a bundle or of several; a string is a path. */
export type BundleSource = string | GitFolder;

const path = z.string().min(1);
const git = z
  .string()
  .regex(
    /^(?:https:\/\/|ssh:\/\/|file:\/\/|[\w.-]+@[\w.-]+:|\.{0,2}\/)\S+$/,
    'the address of a repository: https://…, ssh://…, user@host:path or a folder',
  );
const ref = z
  .string()
  .regex(/^(?!-)(?!.*\.\.)[\w./-]{1,200}$/, 'a tag, a branch or a commit of 40 hex digits');
const commit = z.string().regex(/^[0-9a-f]{40}$/, 'a commit of 40 hex digits');
const subdir = z
  .string()
  .regex(/^(?![/-])(?!.*(?:^|\/)\.\.(?:\/|$))[\w./@-]{1,500}$/, 'a folder of the repository');

/** Where a bundle comes from: `path`, or `git` with what belongs to it. */
export const sourceKeys = {
  path: path.optional(),
  git: git.optional(),
  ref: ref.optional(),
  commit: commit.optional(),
  subdir: subdir.optional(),
  /** File of the SSH keys of which one must have signed the tag `ref`. */
  signers: path.optional(),
};

type Keys = { readonly [Key in keyof typeof sourceKeys]?: string | undefined };

/** Undefined if the keys fit together, else what is wrong. */
export function sourceProblem({ path: folder, git: url, ...entry }: Keys): string | undefined {
  if ((folder === undefined) === (url === undefined)) return 'set either path or git';
  const first = gitKeys.find((key) => entry[key] !== undefined);
  if (folder !== undefined && first) return `${first} requires git`;
  if (entry.signers !== undefined && entry.ref === undefined)
    return 'signers requires ref, a signed tag';
  return undefined;
}

const gitKeys = ['ref', 'commit', 'subdir', 'signers'] as const;

/** Relative paths start from `dir`, the folder of `bundles.yaml`. */
export function toSource(entry: Keys, dir: string): BundleSource {
  const { path: folder = '', git: url, ref: name, commit: pinned, subdir: below, signers } = entry;
  if (url === undefined) return resolve(dir, folder);
  return {
    url: /^\.{1,2}\//.test(url) ? join(dir, url) : url,
    ref: name,
    commit: pinned,
    subdir: below,
    signers: signers === undefined ? undefined : resolve(dir, signers),
  };
}

/** The folders that are read where they are, and the files of keys. */
export function ownPaths(sources: readonly BundleSource[]): readonly string[] {
  return sources.flatMap((source) => {
    if (typeof source === 'string') return [source];
    return source.signers === undefined ? [] : [dirname(source.signers)];
  });
}

export function sourceName({ path: folder, git: url }: Keys): string {
  return folder ?? url ?? '';
}
