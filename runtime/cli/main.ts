#!/usr/bin/env node
import { isFault } from '../base/fault.ts';
import { isRefusal } from '../base/refusal.ts';
import { version } from './version.ts';

type Run = (args: readonly string[], options: { signal: AbortSignal }) => Promise<number>;
type Command = {
  readonly usage: string;
  readonly about: string;
  /** Loaded when asked for, so that `--help` answers at once. Ends with 0: done, 1: something is wrong, 2: called wrongly. */
  readonly load: () => Promise<Run>;
};

const commands: Readonly<Record<string, Command>> = {
  serve: {
    usage: 'serve [--port P]',
    about: 'everything in one process: web page, API, worker',
    load: async () => (await import('./serve-command.ts')).serve,
  },
  worker: {
    usage: 'worker',
    about: 'a fleet: works on conversations, answers no door',
    load: async () => (await import('./serve-command.ts')).worker,
  },
  gateway: {
    usage: 'gateway [--port P]',
    about: 'a fleet: the front door alone',
    load: async () => (await import('./serve-command.ts')).gateway,
  },
  chat: {
    usage: 'chat [ID] [--bundle B] [--url U]',
    about: 'talk in the terminal; typing while it works is a followup, !text a steer',
    load: async () => (await import('./chat-command.ts')).chatCommand,
  },
  doctor: {
    usage: 'doctor [--json]',
    about: 'what is here, what is missing, what to do about it',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  timeline: {
    usage: 'timeline show|verify|render|replay|fork|cache ID',
    about: 'the blocks of a conversation; whether they are whole; what its model was sent',
    load: async () => (await import('./timeline.ts')).timeline,
  },
  demo: {
    usage: 'demo [--port P]',
    about: 'one conversation on real data, from end to end',
    load: async () => (await import('./demo.ts')).demo,
  },
};

async function main([name = 'help', ...args]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return answer(name);
  if (args.includes('--help')) {
    process.stdout.write(`timeloom ${command.usage}\n  ${command.about}\n\n${environment}`);
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

const environment = `Settings come from the environment or from assembly.yaml in TIMELOOM_CONFIG_DIR:
  TIMELOOM_MODEL     scripted:<file> · anthropic:<model> · openai:<model> · openai-compatible:<model>
  ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL
  TIMELOOM_PORT      3000            TIMELOOM_DATA_DIR   ./data
  DATABASE_URL       Postgres instead of the embedded database
  REDIS_URL          Redis instead of the bus in this process
  TIMELOOM_BUNDLES   folders of bundles, separated by “:”
  TIMELOOM_EXEC_MODE auto · docker · process · off
`;

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

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = isMisuse(error) || (isFault(error) && error.kind === 'input') ? 2 : 1;
  },
);
