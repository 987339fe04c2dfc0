import { parseArgs } from 'node:util';
import { parseEdit } from '../../../engine/inspect/cache-edit.ts';
import type { CacheEdit } from '../../../timeline/cache/what-if.ts';
import { cache } from './cache-command.ts';
import { fork } from './fork-command.ts';
import { list } from './list-command.ts';
import { type StoredConversation, withConversation } from './open-conversation.ts';
import { render } from './render-command.ts';
import { replay } from './replay-command.ts';
import { reply } from './reply-command.ts';
import { show } from './show-command.ts';
import { verify } from './verify-command.ts';

type Subcommand = {
  readonly run: (log: StoredConversation, options: Options) => Promise<number>;
  /** The option it takes besides `--json`. */
  readonly takes?: 'at' | 'whatif';
};
type Options = {
  readonly json: boolean;
  readonly at: number | undefined;
  readonly whatif: CacheEdit | undefined;
};

const subcommands: Readonly<Record<string, Subcommand>> = {
  show: { run: show },
  verify: { run: verify },
  replay: { run: replay },
  render: { run: render, takes: 'at' },
  reply: { run: reply, takes: 'at' },
  fork: { run: fork, takes: 'at' },
  cache: { run: cache, takes: 'whatif' },
};
const usage = `usage: timeloom timeline show|verify|replay ID [--user U] [--project T/P] [--json]
       timeloom timeline list [--user U] [--project T/P] [--json]
       timeloom timeline render|reply|fork ID [--at SEQ] [--user U] [--project T/P] [--json]
       timeloom timeline cache ID [--whatif hide:PATH|keep:TURNS|prune|compact|catalogue] [--user U] [--project T/P] [--json]
`;

/** `timeloom timeline …`: shows, verifies, replays and forks a conversation. */
export async function timeline(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      at: { type: 'string' },
      whatif: { type: 'string' },
      user: { type: 'string' },
      project: { type: 'string' },
    },
  });
  const [name = '', id = '', ...more] = positionals;
  const { user, project, ...rest } = values;
  if (name === 'list' && Object.keys(rest).every((key) => key === 'json') && id === '') {
    return list({ json: values.json ?? false, user, project, signal });
  }
  const verb = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  const options = verb && toOptions(rest, verb);
  if (!verb || !options || id === '' || more.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  return withConversation({ id, user, project }, { signal }, (log) => verb.run(log, options));
}

type Values = { readonly json?: boolean; readonly at?: string; readonly whatif?: string };

/** Undefined: an option is invalid, or this subcommand does not take it. */
function toOptions(
  { json = false, at, whatif }: Values,
  { takes }: Subcommand,
): Options | undefined {
  const edit = whatif === undefined ? undefined : parseEdit(whatif);
  const isAllowed =
    (at === undefined || takes === 'at') && (whatif === undefined || takes === 'whatif');
  const isValid =
    (at === undefined || /^[1-9]\d{0,14}$/.test(at)) && (whatif === undefined || edit);
  if (!isAllowed || !isValid) return undefined;
  return { json, at: at === undefined ? undefined : Number(at), whatif: edit };
}
