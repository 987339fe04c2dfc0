import { parseArgs } from 'node:util';
import { cache } from './timeline-cache.ts';
import { fork } from './timeline-fork.ts';
import { type OpenLog, withLog } from './timeline-log.ts';
import { render } from './timeline-render.ts';
import { replay } from './timeline-replay.ts';
import { show } from './timeline-show.ts';
import { verify } from './timeline-verify.ts';

type Options = {
  readonly json: boolean;
  readonly at: number | undefined;
  readonly whatif: string | undefined;
};
type Verb = (log: OpenLog, options: Options) => Promise<number>;

const verbs: Readonly<Record<string, Verb>> = { show, verify, render, replay, fork, cache };
const usage = `usage: timeloom timeline show|verify|replay ID [--json]
       timeloom timeline render|fork ID [--at SEQ] [--json]
       timeloom timeline cache ID [--whatif hide:PATH|prune|compact|catalogue] [--json]
`;

/** `timeloom timeline …`: what a conversation holds, whether it is whole, what a model was sent, whether that comes out again. */
export async function timeline(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean' }, at: { type: 'string' }, whatif: { type: 'string' } },
  });
  const [name = '', id] = positionals;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  const at = values.at === undefined ? undefined : Number(values.at);
  if (!verb || id === undefined || (at !== undefined && !Number.isSafeInteger(at))) {
    process.stderr.write(usage);
    return 2;
  }
  return withLog(id, { signal }, (log) =>
    verb(log, { json: values.json === true, at, whatif: values.whatif }),
  );
}
