import { type GitAccess, GitError, runGit } from './run-git.ts';

export type ResolvedRef = {
  readonly commit: string;
  /** Full name of the branch or tag; undefined for a commit. */
  readonly name: string | undefined;
};

const commitShape = /^[0-9a-f]{40}$/;

export function isCommit(ref: string): boolean {
  return commitShape.test(ref);
}

/** The commit that a tag, branch or commit of a repository names now; without `ref`, its default branch. Throws GitError. */
export async function resolveRef(
  { url, ref = 'HEAD' }: { readonly url: string; readonly ref?: string | undefined },
  { access, signal }: { readonly access: GitAccess; readonly signal: AbortSignal },
): Promise<ResolvedRef> {
  if (isCommit(ref)) return { commit: ref, name: undefined };
  const run = { signal, url, access };
  // Without a repository: the one of the working directory could have a configuration that leads elsewhere.
  const list = ['--git-dir=/dev/null', 'ls-remote', '--', url, ref, `${ref}^{}`];
  const listed = await runGit(list, run);
  const commits = new Map(
    listed
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [commit = '', name = ''] = line.split('\t');
        return [name, commit] as const;
      }),
  );
  for (const name of [`refs/tags/${ref}`, `refs/heads/${ref}`, 'HEAD']) {
    // A signed tag is an object of its own, which points to the commit.
    const commit = commits.get(`${name}^{}`) ?? commits.get(name);
    if (commit !== undefined && (name !== 'HEAD' || ref === 'HEAD')) return { commit, name };
  }
  throw new GitError(`${url} has no tag, branch or commit “${ref}”`);
}
