import { isFault } from '../base/fault.ts';
import { isRefusal } from '../base/refusal.ts';
import { version } from './config/version.ts';
import { StopSignal } from './terminal/stop-signal.ts';

type Run = (args: readonly string[], options: { signal: AbortSignal }) => Promise<number>;
type Command = {
  readonly usage: string;
  readonly about: string;
  /** Lines that `--help` prints below the usage. */
  readonly options?: readonly string[];
  /** Loads the command on demand, so `--help` answers at once. Exit codes: 0 success, 1 problem found, 2 wrong usage, 130 or 143 stopped before its end. */
  readonly load: () => Promise<Run>;
};

const port = '--port P       port to listen on, overrides TIMELOOM_PORT; 0 picks a free port';
const host =
  '--host H       address to listen on, overrides TIMELOOM_HOST; beyond this machine requires TIMELOOM_AUTH=jwt';
const ready =
  '--ready-json   print one line of JSON when ready, for programs that start the server';

const commands: Readonly<Record<string, Command>> = {
  serve: {
    usage: 'serve [--port P] [--host H]',
    about: 'run web page, API and worker',
    options: [port, host, ready],
    load: async () => (await import('./commands/serve-command.ts')).serve,
  },
  worker: {
    usage: 'worker',
    about: 'run only a worker of a fleet',
    options: [
      '--attached     end when standard input ends, for programs that start the worker',
      ready,
    ],
    load: async () => (await import('./commands/serve-command.ts')).worker,
  },
  gateway: {
    usage: 'gateway [--port P] [--host H]',
    about: 'run only a gateway of a fleet: web page and API',
    options: [port, host, ready],
    load: async () => (await import('./commands/serve-command.ts')).gateway,
  },
  chat: {
    usage: 'chat [ID] [--bundle B] [--url U]',
    about: 'chat in the terminal; text during a turn is a followup, !text a steer',
    options: [
      'ID             conversation to continue; default: a new one',
      '--bundle B     bundle that answers; default: the default bundle',
      '--url U        server to connect to; default: the server on this machine, else a temporary one',
    ],
    load: async () => (await import('./commands/chat/chat-command.ts')).chatCommand,
  },
  doctor: {
    usage: 'doctor [--model M] [--json]',
    about: 'check the installation and say how to fix what is missing',
    options: [
      '--model M      call the model provider:name and print what it supports',
      '--json         print JSON, for programs',
    ],
    load: async () => (await import('./commands/doctor/doctor-command.ts')).doctor,
  },
  timeline: {
    usage: 'timeline list | show|verify|render|reply|replay|fork|cache ID',
    about: 'inspect, verify and replay the log of a conversation',
    options: [
      'list           list the latest conversations of a user; default user: dev',
      'show           print the blocks',
      'verify         check that the log is complete and consistent',
      'replay         reproduce prompts and parse replies again, and compare with the log',
      'render         print the prompt of the last round; --at SEQ: of the round open at that block',
      'reply          print the raw reply of the last model call; --at SEQ: of the last call up to that block',
      'fork           create a conversation that continues from the end; --at SEQ: from that block',
      'cache          explain which tokens were not read from a cache; --whatif hide:PATH|keep:TURNS|prune|compact|catalogue',
      '--user U       user of the conversation: ids are unique per user',
      '--json         print JSON, for programs',
    ],
    load: async () => (await import('./commands/timeline/timeline-command.ts')).timeline,
  },
  bundle: {
    usage: 'bundle new NAME | check PATH | dev PATH',
    about: 'create a bundle, check it, serve it with hot reload',
    options: [
      'new NAME       create the folder NAME with a bundle, tool, skill, instruction and passing test; --in DIR: in DIR',
      'check PATH     report all problems that can be found without starting it; PATH is a bundle or a folder of bundles',
      'dev PATH       serve it; changes apply from the next turn; --port P as for serve',
      '--no-types     skip the type check, which takes seconds',
      '--json         print JSON, for programs: check one line per finding, dev one line per reload',
    ],
    load: async () => (await import('./commands/bundle/bundle-command.ts')).bundle,
  },
  eval: {
    usage: 'eval FOLDER | add FOLDER ID',
    about: 'play the cases of a folder and check the answers',
    options: [
      'FOLDER         YAML files with cases; results.json in it has the last run, which the next one is compared with',
      '--case NAME    play only this case',
      '--model M      model of the agents; default: as configured',
      '--judge M      model that judges answers; default: the configured small model, else the model of the agents',
      'add FOLDER ID  write a case from conversation ID, up to the turn that was rated last; --turn TURN, --user U',
      '--json         print one line of JSON per case, for programs',
    ],
    load: async () => (await import('./commands/eval/eval-command.ts')).evaluate,
  },
  token: {
    usage: 'token --user NAME',
    about: 'print a token for a user, signed with TIMELOOM_AUTH_SECRET',
    options: [
      '--user NAME    user of the token',
      '--roles A,B    roles of the user',
      '--tenant T, --project P   one of several projects; default: that of assembly.yaml',
      '--hours N      lifetime in hours; default 12',
    ],
    load: async () => (await import('./commands/token-command.ts')).token,
  },
  demo: {
    usage: 'demo [--port P]',
    about: 'run one complete conversation on real data',
    options: [port],
    load: async () => (await import('./commands/demo/demo-command.ts')).demo,
  },
};

/** Runs one command and prints why it failed. Returns the exit code. */
export async function runCommandLine(
  args: readonly string[],
  options: { signal: AbortSignal },
): Promise<number> {
  try {
    return await runNamed(args, options);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    return exitCodeOf(error);
  }
}

async function runNamed(
  [name = 'help', ...args]: readonly string[],
  options: { signal: AbortSignal },
): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return answer(name);
  if (args.some((arg) => ['--help', '-h'].includes(arg))) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  const run = await command.load();
  return await run(args, options);
}

function answer(name: string): number {
  if (name === '--version') process.stdout.write(`timeloom ${version()}\n`);
  else if (['help', '--help', '-h'].includes(name)) process.stdout.write(help());
  else {
    process.stderr.write(`Unknown command “${name}”.\n${help()}`);
    return 2;
  }
  return 0;
}

const environment = `Settings come from environment variables or from descriptors in TIMELOOM_CONFIG_DIR (assembly.yaml, bundles.yaml …):
  TIMELOOM_MODEL     scripted:<file> · anthropic:<model> · openai:<model> · openai-compatible:<model>
  ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL
  TIMELOOM_PORT      3000            TIMELOOM_DATA_DIR   ./data
  TIMELOOM_AUTH      dev · jwt       TIMELOOM_HOST       127.0.0.1; beyond this machine requires jwt
  TIMELOOM_AUTH_ISSUER, TIMELOOM_AUTH_AUDIENCE: accepted tokens; TIMELOOM_TOKEN: token for timeloom chat
  DATABASE_URL       Postgres server instead of the embedded database
  REDIS_URL          Redis server instead of the in-process bus
  TIMELOOM_WORKERS   worker processes of serve; default 1 with Postgres, Redis and two cores, else 0: in the same process
  TIMELOOM_BLOBS     file:<folder> · s3://<bucket>/<prefix>
  TIMELOOM_BUNDLES   bundle folders, separated by “:”
  TIMELOOM_EVALS     folders of eval cases that the studio shows, separated by “:”
  TIMELOOM_EXEC_MODE auto · docker · process · fargate · off
  AI_REACT_MAX_ITERATIONS, AI_REACT_AGENT_MULTI_ACTION, AI_REACT_CONTEXT_MAX_TOKENS
`;

function helpOf({ usage, about, options = [] }: Command): string {
  const rows = options.map((option) => `  ${option}\n`).join('');
  return `timeloom ${usage}\n  ${about}\n${rows && `\n${rows}`}\n${environment}`;
}

function help(): string {
  const rows = Object.values(commands).map(({ usage, about }) => `  ${usage.padEnd(34)} ${about}`);
  return `timeloom: a timeline-first agent runtime\n\n${rows.join('\n')}\n\n${environment}`;
}

function explain(error: unknown): string {
  if (isMisuse(error)) return `${error.message}\nSee timeloom --help.`;
  if (isFault(error) || isRefusal(error) || error instanceof StopSignal) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof StopSignal) return error.exitCode;
  return isMisuse(error) || (isFault(error) && error.kind === 'input') ? 2 : 1;
}

/** Unknown or malformed options, as `parseArgs` reports them. */
function isMisuse(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
}
