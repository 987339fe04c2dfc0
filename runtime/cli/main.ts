#!/usr/bin/env node
import { isFault } from '../base/fault.ts';
import { isRefusal } from '../base/refusal.ts';
import { version } from './config/version.ts';

type Run = (args: readonly string[], options: { signal: AbortSignal }) => Promise<number>;
type Command = {
  readonly usage: string;
  readonly about: string;
  /** What `--help` after it shows beneath, a line each. */
  readonly options?: readonly string[];
  /** Loaded when asked for, so that `--help` answers at once. Ends with 0: done, 1: something is wrong, 2: called wrongly. */
  readonly load: () => Promise<Run>;
};

const port = '--port P       where it listens, instead of TIMELOOM_PORT; 0 takes a free one';
const host =
  '--host H       where it listens, instead of TIMELOOM_HOST; beyond this machine only with TIMELOOM_AUTH=jwt';
const ready = '--ready-json   one line of JSON once it listens, for programs that start it';

const commands: Readonly<Record<string, Command>> = {
  serve: {
    usage: 'serve [--port P] [--host H]',
    about: 'everything in one process: web page, API, worker',
    options: [port, host, ready],
    load: async () => (await import('./commands/serve-command.ts')).serve,
  },
  worker: {
    usage: 'worker',
    about: 'a fleet: works on conversations, answers no door',
    load: async () => (await import('./commands/serve-command.ts')).worker,
  },
  gateway: {
    usage: 'gateway [--port P] [--host H]',
    about: 'a fleet: the front door alone',
    options: [port, host, ready],
    load: async () => (await import('./commands/serve-command.ts')).gateway,
  },
  chat: {
    usage: 'chat [ID] [--bundle B] [--url U]',
    about: 'talk in the terminal; typing while it works is a followup, !text a steer',
    options: [
      'ID             the conversation to go on with; a new one without it',
      '--bundle B     who answers; else the default bundle',
      '--url U        the server to talk with; else the one that runs here, else one of its own',
    ],
    load: async () => (await import('./commands/chat/chat-command.ts')).chatCommand,
  },
  doctor: {
    usage: 'doctor [--json]',
    about: 'what is here, what is missing, what to do about it',
    options: ['--json         for programs'],
    load: async () => (await import('./commands/doctor/doctor-command.ts')).doctor,
  },
  timeline: {
    usage: 'timeline list | show|verify|render|reply|replay|fork|cache ID',
    about: 'the blocks of a conversation; whether they are whole; what its model was sent',
    options: [
      'list           the latest conversations of a user; without --user of dev',
      'show           the blocks',
      'verify         whether the log is whole',
      'replay         whether its prompts and its model’s replies come out again',
      'render         the prompt of a round; --at SEQ: the one open at that block',
      'reply          what the model wrote, as it came; --at SEQ: up to that block',
      'fork           a conversation that goes on from it; --at SEQ: from that block',
      'cache          why tokens were not read from a cache; --whatif hide:PATH|prune|compact|catalogue',
      '--user U       whose conversation it is: two users may have chosen one id',
      '--json         for programs',
    ],
    load: async () => (await import('./commands/timeline/timeline-command.ts')).timeline,
  },
  bundle: {
    usage: 'bundle new NAME | check PATH | dev PATH',
    about: 'a bundle with its test; what is wrong with one; hot reload',
    options: [
      'new NAME       makes the folder NAME: bundle, tool, skill, instruction and a test that passes; --in DIR: there',
      'check PATH     everything that can be known without starting it; PATH is a bundle, or a folder of bundles',
      'dev PATH       serves it; what you change counts from the next turn on; --port P as serve',
      '--no-types     check leaves the types out, which take seconds',
      '--json         for programs; check prints one line of JSON a finding, dev one for each reload',
    ],
    load: async () => (await import('./commands/bundle/bundle-command.ts')).bundle,
  },
  token: {
    usage: 'token --user NAME',
    about: 'prints a token for a user, signed with TIMELOOM_AUTH_SECRET',
    options: [
      '--user NAME    who the token is for',
      '--roles A,B    the roles of the user',
      '--hours N      how long it is valid; 12 without it',
    ],
    load: async () => (await import('./commands/token-command.ts')).token,
  },
  demo: {
    usage: 'demo [--port P]',
    about: 'one conversation on real data, from end to end',
    options: [port],
    load: async () => (await import('./commands/demo/demo-command.ts')).demo,
  },
};

async function main([name = 'help', ...args]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return answer(name);
  if (args.some((arg) => ['--help', '-h'].includes(arg))) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  const stop = new AbortController();
  let asked = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      asked += 1;
      if (asked > 1) process.exit(130);
      stop.abort();
    });
  }
  const run = await command.load();
  return run(args, { signal: stop.signal });
}

function answer(name: string): number {
  if (name === '--version') process.stdout.write(`timeloom ${version()}\n`);
  else if (['help', '--help', '-h'].includes(name)) process.stdout.write(help());
  else {
    process.stderr.write(`There is no command “${name}”.\n${help()}`);
    return 2;
  }
  return 0;
}

const environment = `Settings come from the environment, or from descriptors in TIMELOOM_CONFIG_DIR (assembly.yaml, bundles.yaml …):
  TIMELOOM_MODEL     scripted:<file> · anthropic:<model> · openai:<model> · openai-compatible:<model>
  ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL
  TIMELOOM_PORT      3000            TIMELOOM_DATA_DIR   ./data
  TIMELOOM_AUTH      dev · jwt       TIMELOOM_HOST       127.0.0.1; beyond this machine with jwt only
  TIMELOOM_AUTH_ISSUER, TIMELOOM_AUTH_AUDIENCE: whose tokens, made out to whom; TIMELOOM_TOKEN: yours, in chat
  DATABASE_URL       Postgres instead of the embedded database
  REDIS_URL          Redis instead of the bus in this process
  TIMELOOM_BLOBS     file:<folder> · s3://<bucket>/<prefix>
  TIMELOOM_BUNDLES   folders of bundles, separated by “:”
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
  if (isFault(error) || isRefusal(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Options that the command does not have, as `parseArgs` tells them. */
function isMisuse(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
}

// Whoever reads the output may have enough of it (`| head`): what else there is to say is said to nobody.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = isMisuse(error) || (isFault(error) && error.kind === 'input') ? 2 : 1;
  },
);
