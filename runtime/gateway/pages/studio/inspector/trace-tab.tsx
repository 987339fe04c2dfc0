import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { useAddress } from '../data/address.ts';
import { duration } from '../data/format.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { Span } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import type { TabProps } from './tab-props.ts';

const rowPx = 26;

/** A waterfall of the turn that is looked at: rounds, model calls, tools, programs, waits. */
export function TraceTab({ log, at }: TabProps) {
  const turn = log.turns.findLast(({ seq }) => seq <= at);
  const path = turn && logPath(log.conversation_id, `trace?turn=${encodeURIComponent(turn.turn)}`);
  const { data, error } = useJson<{ spans: readonly Span[] }>(path, log.head);
  if (error) return <Problem error={error} />;
  if (!turn || !data) return <p role="status">Loading…</p>;
  const otlp = logPath(log.conversation_id, 'trace?format=otlp');
  return (
    <div className="trace">
      <p className="facts">
        Turn {turn.name.slice(1)} · {duration(turn.ms)} ·{' '}
        <a href={otlp} download={`${log.conversation_id}.otlp.json`}>
          Export as OTLP
        </a>
      </p>
      <Waterfall spans={data.spans} />
    </div>
  );
}

function Waterfall({ spans }: { readonly spans: readonly Span[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => withDepth(spans), [spans]);
  const from = Math.min(...spans.map(({ from_ms: each }) => each));
  const to = Math.max(from + 1, ...spans.map(({ to_ms: end, from_ms: begin }) => end ?? begin));
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
  });
  return (
    <div className="scroller" ref={scroller} tabIndex={-1}>
      <ol style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              <li key={row.span.id} style={{ transform: `translateY(${start}px)`, height: rowPx }}>
                <SpanRow span={row.span} depth={row.depth} range={{ from, to }} />
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}

type SpanProps = {
  readonly span: Span;
  readonly depth: number;
  readonly range: { readonly from: number; readonly to: number };
};

function SpanRow({ span, depth, range }: SpanProps) {
  const { to } = useAddress();
  const { kind, name, block, from_ms: begin, to_ms: end = range.to, error, facts } = span;
  const all = range.to - range.from;
  const left = (100 * (begin - range.from)) / all;
  const child = facts['conversation'];
  return (
    <a
      className="span"
      href={
        typeof child === 'string' ? `#${encodeURIComponent(child)}` : to({ tab: 'blocks', block })
      }
      title={error}
    >
      <span className="name" style={{ paddingInlineStart: `${depth * 0.9}rem` }}>
        {name}
      </span>
      <span className="lane">
        <span
          className={`lane-bar ${kind}${error === undefined ? '' : ' bad'}`}
          style={{ left: `${left}%`, width: `${Math.max(0.3, (100 * (end - begin)) / all)}%` }}
        />
      </span>
      <span className="ms">{duration(end - begin)}</span>
    </a>
  );
}

function withDepth(spans: readonly Span[]) {
  const depths = new Map<string, number>();
  return spans.map((span) => {
    const depth = span.parent === undefined ? 0 : (depths.get(span.parent) ?? 0) + 1;
    depths.set(span.id, depth);
    return { span, depth };
  });
}
