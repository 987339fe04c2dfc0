import { useState } from 'react';
import { useAddress } from '../data/address.ts';
import { forkPoint, placeOf } from '../data/format.ts';
import { fork, getJson, logPath } from '../data/server.ts';
import type { Rounds, Turn } from '../data/wire.ts';
import { RerunDialog } from '../rerun/rerun-dialog.tsx';
import { Check } from './check.tsx';

type Props = { readonly log: Rounds; readonly at: number };

/** What can be done from the block that is looked at. */
export function ActionBar({ log, at }: Props) {
  const { go } = useAddress();
  const [status, setStatus] = useState('');
  const [isEditing, setEditing] = useState(false);
  const { conversation_id: id, user } = log;
  const turn = log.turns.findLast(({ seq }) => seq <= at);
  const run = (action: () => Promise<string>) => {
    setStatus('…');
    action().then(setStatus, (error: unknown) =>
      setStatus(error instanceof Error ? error.message : String(error)),
    );
  };
  const forkHere = async () => {
    const made = await fork(id, forkPoint(log, at), user);
    // The fork says where it begins.
    go({ page: made, at: undefined, block: undefined, find: undefined });
    return '';
  };
  return (
    <footer className="actions">
      <p className="place">
        {placeOf(log.turns, at)}
        {log.forked_from && (
          <a
            href={`#${encodeURIComponent(log.forked_from.conversation_id)}?at=${log.forked_from.seq}`}
          >
            fork of block {log.forked_from.seq}
          </a>
        )}
      </p>
      <button type="button" onClick={() => run(forkHere)}>
        Fork from here
      </button>
      <button type="button" disabled={!turn} onClick={() => setEditing(true)}>
        Edit and rerun
      </button>
      {turn && <CompareLink log={log} turn={turn} />}
      <Check name="Verify" url={logPath(id, 'verify')} />
      <Check name="Replay" url={logPath(id, 'replay')} />
      <button type="button" onClick={() => run(() => copyAsTest(id))}>
        Copy as test
      </button>
      <button type="button" disabled={!turn} onClick={() => run(() => copyAsCase(id, turn?.turn))}>
        Copy as eval case
      </button>
      <output aria-live="polite">{status}</output>
      {isEditing && turn && <RerunDialog log={log} turn={turn} onClose={() => setEditing(false)} />}
    </footer>
  );
}

/** This turn beside the one that it runs again, or that it continues with another result. */
function CompareLink({ log, turn }: { readonly log: Rounds; readonly turn: Turn }) {
  const { to } = useAddress();
  const { rerun_of: of, resumed } = turn;
  const own = `${log.conversation_id}/${turn.turn}`;
  const original = of
    ? `${of.conversation}/${of.turn}`
    : resumed && `${resumed.conversation}/${turn.turn}`;
  const pair = original === undefined ? { a: own, b: own } : { a: original, b: own };
  const clear = { at: undefined, block: undefined, find: undefined, tab: 'prompt' } as const;
  return (
    <a className="button" href={to({ page: 'compare', ...pair, ...clear })}>
      Compare
    </a>
  );
}

const copied = 'The test is in the clipboard. Save it beside the bundle as a file *.test.ts.';

async function copyAsTest(conversation: string): Promise<string> {
  const { test, gaps } = await getJson<{ test: string; gaps: readonly string[] }>(
    logPath(conversation, 'as-script'),
  );
  await navigator.clipboard.writeText(test);
  const [gap] = gaps;
  if (gap === undefined) return copied;
  return `${copied} It leaves out: ${gaps.length > 1 ? `${gap}, and ${gaps.length - 1} more` : gap}.`;
}

async function copyAsCase(conversation: string, turn = ''): Promise<string> {
  const { text, file, attachments } = await getJson<{
    text: string;
    file: string;
    attachments: readonly string[];
  }>(logPath(conversation, `as-case?turn=${encodeURIComponent(turn)}`));
  await navigator.clipboard.writeText(text);
  const files = attachments.length > 0 ? ` It needs the files ${attachments.join(', ')}.` : '';
  return `The case is in the clipboard. Save it as ${file} in a folder of evals.${files}`;
}
