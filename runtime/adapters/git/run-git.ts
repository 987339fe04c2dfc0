import { execFile } from 'node:child_process';
import { gitDeadlineMs, gitOutputBytesMax } from './limits.ts';

export type GitAccess = {
  /** Of which git gets `PATH`, `HOME` and `SSH_AUTH_SOCK`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Sent to `https` servers as the password of `x-access-token`. */
  readonly token?: string | undefined;
};

/** A git command failed; the message is what git said, without credentials. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** Attributes of the user apply even without the configuration of the user. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
] as const;

type Run = { readonly signal: AbortSignal; readonly access: GitAccess; readonly url?: string };

/**
 * Runs git without hooks, without asking anybody, and without the configuration of the machine or the user: only what
 * the arguments say. It speaks https, ssh and to folders. Throws GitError.
 */
export async function runGit(
  args: readonly string[],
  { signal, access, url = '' }: Run,
): Promise<Buffer> {
  const env = {
    PATH: access.env['PATH'] ?? '',
    HOME: access.env['HOME'] ?? '',
    SSH_AUTH_SOCK: access.env['SSH_AUTH_SOCK'] ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
    ...headerFor(url, access),
  };
  const fixed = settings.flatMap((setting) => ['-c', setting]);
  return await new Promise((resolve, reject) => {
    const options = {
      env,
      signal,
      timeout: gitDeadlineMs,
      maxBuffer: gitOutputBytesMax,
      encoding: 'buffer' as const,
    };
    execFile('git', [...fixed, ...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (signal.aborted) reject(signal.reason);
      else reject(new GitError(reasonOf(error, stderr), { cause: error }));
    });
  });
}

/** In the environment, because other users can read the arguments of a process. */
function headerFor(url: string, { token }: GitAccess): Record<string, string> {
  if (token === undefined || !url.startsWith('https://')) return {};
  const credentials = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
  };
}

function reasonOf(error: Error & { code?: unknown; killed?: boolean }, stderr: Buffer): string {
  if (error.code === 'ENOENT') return 'git is not installed';
  if (error.killed === true) return `no answer within ${gitDeadlineMs / 1_000} seconds`;
  const lines = stderr.toString().trim().split('\n');
  return lines.findLast((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? error.message;
}
