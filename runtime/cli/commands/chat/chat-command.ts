import { parseArgs } from 'node:util';
import { Scope } from '../../../base/scope.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { localUrl } from '../../server/local-url.ts';
import { openServer } from '../../server/open-server.ts';
import { chat } from './chat-session.ts';

const probeDeadlineMs = 1_000;

/** `timeloom chat`: connects to the server on this machine, else starts a server for the length of the chat. */
export async function chatCommand(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { bundle: { type: 'string' }, url: { type: 'string' } },
  });
  const [conversation] = positionals;
  const config = readConfig();
  await using scope = new Scope();
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
