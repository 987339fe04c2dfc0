import { useEffect, useMemo, useState } from 'react';
import { useAddress } from '../data/address.ts';
import { useHeads } from '../data/events.ts';
import { roundAt } from '../data/format.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { useTitle } from '../data/use-title.ts';
import type { Rounds } from '../data/wire.ts';
import { Inspector } from '../inspector/inspector.tsx';
import { Problem } from '../project/problem.tsx';
import { ActionBar } from './action-bar.tsx';
import { RoundColumn } from './round-column.tsx';
import { Scrubber } from './scrubber.tsx';

/** One conversation: its rounds, the inspector, and the scrubber through its blocks. */
export function LogView({ conversation }: { readonly conversation: string }) {
  const { address } = useAddress();
  const url = logPath(conversation, 'rounds');
  const [known, setKnown] = useState<Rounds>();
  const version = useHeads(logPath(conversation, 'heads'), known);
  const { data, error } = useJson<Rounds>(url, version);
  useEffect(() => setKnown(data), [data]);
  const named = data && endOfTurn(data, address.turn);
  const at = Math.min(address.at ?? named ?? data?.head ?? 1, data?.head ?? 1);
  const round = useMemo(() => (data ? roundAt(data.turns, at) : undefined), [data, at]);
  useTitle(data?.title ?? '');
  if (!data) {
    return (
      <main className="welcome">
        {error ? (
          <>
            <h2>This conversation cannot be shown</h2>
            <Problem error={error} />
          </>
        ) : (
          <p role="status">Loading…</p>
        )}
      </main>
    );
  }
  return (
    <main className="log" aria-label={data.title === '' ? 'Conversation' : data.title}>
      <RoundColumn log={data} at={at} round={round} />
      <Inspector log={data} round={round} at={at} />
      <Scrubber log={data} at={at} />
      <ActionBar log={data} at={at} />
    </main>
  );
}

/** The last block of a turn. */
function endOfTurn({ turns, head }: Rounds, name: string | undefined): number | undefined {
  const at = turns.findIndex(({ turn }) => turn === name);
  return at === -1 ? undefined : (turns[at + 1]?.seq ?? head + 1) - 1;
}
