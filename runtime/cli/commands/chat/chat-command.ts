import { parseArgs } from 'node:util';
import { Fault } from '../../../base/fault.ts';
import { Scope } from '../../../base/scope.ts';
import { Work } from '../../../base/signal.ts';
import { id } from '../../../client/protocol/request-schemas.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { localUrl } from '../../server/local-url.ts';
import { openServer } from '../../server/open-server.ts';
import { chat } from './chat-session.ts';

const probeDeadlineMs = 1_000;
/** How long a server that `--url` names may take to answer. */
const urlDeadlineMs = 10_000;
const usage = 'usage: timeloom chat [ID] [--bundle B] [--url U]';

/**
 * `timeloom chat`: connects to the server on this machine, else starts a server for the length of the chat. Exit code 2:
 * wrong arguments. Fault `SERVER_UNREACHABLE`: no server answers at `--url`.
 */
export async function chatCommand(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { bundle: { type: 'string' }, url: { type: 'string' } },
  });
  const [conversation, ...more] = positionals;
  const problem = more.length > 0 ? usage : problemOf(conversation, values.url);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    return 2;
  }
  const config = readConfig();
  await using scope = new Scope();
  if (values.url !== undefined) await assertServer(values.url, signal);
  const url =
    values.url ?? (await runningServer(config)) ?? (await ownServer(config, { scope, signal }));
  return await chat(
    {
      url,
      tenant: config.tenant,
      project: config.project,
      token: config.token,
      ...(conversation === undefined ? {} : { conversation }),
      ...(values.bundle === undefined ? {} : { bundle: values.bundle }),
    },
    { input: process.stdin, output: process.stdout, signal },
  );
}

function problemOf(conversation: string | undefined, url: string | undefined): string | undefined {
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    return `--url: must begin with http:// or https://\n${usage}`;
  const read = id.optional().safeParse(conversation);
  return read.success ? undefined : `ID: ${read.error.issues[0]?.message}\n${usage}`;
}

/** Any answer will do: a proxy may keep `/health` for itself. */
async function assertServer(url: string, signal: AbortSignal): Promise<void> {
  using work = new Work(signal, { deadlineMs: urlDeadlineMs });
  try {
    await fetch(new URL('/health', url), { signal: work.signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new Fault('SERVER_UNREACHABLE', { because: url }, { cause });
  }
}

async function runningServer(config: Config): Promise<string | undefined> {
  const url = localUrl(config);
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(probeDeadlineMs) });
    return answer.ok ? url : undefined;
  } catch {
    // No server is running: the chat starts its own.
    return undefined;
  }
}

async function ownServer(
  config: Config,
  options: { scope: Scope; signal: AbortSignal },
): Promise<string> {
  // The chat itself shows the errors of a turn.
  const logLevel = config.logLevel === 'debug' ? 'debug' : 'silent';
  const quiet: Config = { ...config, port: 0, logLevel };
  return (await openServer(quiet, options)).url;
}
