import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { useAddress } from '../data/address.ts';
import { endOf } from '../data/format.ts';
import { useKeys } from '../data/use-keys.ts';
import type { Round, Rounds } from '../data/wire.ts';
import { LogSummary } from './log-summary.tsx';
import { RoundListRow } from './round-list-row.tsx';
import { toRows } from './rows.ts';

type Props = { readonly log: Rounds; readonly at: number; readonly round: Round | undefined };

const estimatedRowPx = 46;

/** One row for each turn, round, event and answer. */
export function RoundColumn({ log, at, round }: Props) {
  const { go } = useAddress();
  const rows = useMemo(() => toRows(log), [log]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedRowPx,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
  });
  const current = rows.findIndex(({ key }) => round && key === `r${round.seq}`);
  useEffect(() => {
    if (current >= 0) virtual.scrollToIndex(current, { align: 'auto' });
  }, [current, virtual]);
  const step = (by: number) => {
    const rounds = log.turns.flatMap((turn) => turn.rounds);
    const index = rounds.findIndex(({ seq }) => seq === round?.seq);
    const next = rounds[Math.min(Math.max(index + by, 0), rounds.length - 1)];
    if (next)
      go(
        { at: endOf(rounds, next, log.head), block: undefined, find: undefined },
        { replace: true },
      );
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  return (
    <section className="rounds" aria-label="Rounds">
      <LogSummary log={log} />
      <div className="scroller" ref={scroller} tabIndex={-1}>
        <ol style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return (
              row && (
                <li
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  style={{ transform: `translateY(${start}px)` }}
                  className={row.block > at ? 'later' : undefined}
                >
                  <RoundListRow row={row} log={log} isCurrent={index === current} />
                </li>
              )
            );
          })}
        </ol>
      </div>
    </section>
  );
}
