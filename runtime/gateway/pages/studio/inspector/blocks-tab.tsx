import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useAddress } from '../data/address.ts';
import { count } from '../data/format.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { BlockPage, BlockRow, Rounds } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import { BlockPanel } from './block-panel.tsx';
import type { TabProps } from './tab-props.ts';

const rowPx = 30;
/** Rows that are loaded at once; more than a screen has. */
const pageRows = 200;

/** Every block of the log, with filters. */
export function BlocksTab({ log, at }: TabProps) {
  const { address } = useAddress();
  const { type, q, block } = address;
  const pages = pageUrls(log, { type, q });
  const isAll = type === undefined && q === undefined;
  const { data, error } = useJson<BlockPage>(pages(0), log.head);
  const total = isAll ? log.ticks.length : data?.total;
  return (
    <div className={block === undefined ? 'single blocks' : 'split blocks'}>
      <div className="table">
        <Filters log={log} />
        {error && <Problem error={error} />}
        <p className="facts">{total === undefined ? 'Loading…' : `${count(total)} blocks`}</p>
        {total !== undefined && (
          <BlockTable pages={pages} total={total} current={block ?? at} isAll={isAll} />
        )}
      </div>
      {block !== undefined && (
        <aside className="why" aria-label="Block">
          <BlockPanel log={log} seq={block} />
        </aside>
      )}
    </div>
  );
}

type Filter = { readonly type: string | undefined; readonly q: string | undefined };
/** The address of a page, by its number. */
type Pages = (page: number) => string;

function pageUrls({ conversation_id: id }: Rounds, { type, q }: Filter): Pages {
  return (page) => {
    const query = new URLSearchParams({ limit: `${pageRows}`, offset: `${page * pageRows}` });
    if (type !== undefined) query.set('type', type);
    if (q !== undefined) query.set('q', q);
    return logPath(id, `blocks?${query.toString()}`);
  };
}

function Filters({ log }: { readonly log: Rounds }) {
  const { address, go } = useAddress();
  const families = [...new Set(log.types.map((type) => type.split('.')[0] ?? type))].toSorted();
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Type
        <select
          value={address.type ?? ''}
          onChange={(event) => go({ type: event.target.value || undefined }, { replace: true })}
        >
          <option value="">all</option>
          {families.map((family) => (
            <option key={family}>{family}</option>
          ))}
        </select>
      </label>
      <label>
        Text
        <input
          type="search"
          value={address.q ?? ''}
          onChange={(event) => go({ q: event.target.value || undefined }, { replace: true })}
        />
      </label>
    </form>
  );
}

type TableProps = {
  readonly pages: Pages;
  readonly total: number;
  readonly current: number;
  /** No filter: the row of a block is known. */
  readonly isAll: boolean;
};

function BlockTable({ pages, total, current, isAll }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  // What is visible lies on one page, or on two.
  const first = Math.floor((shown[0]?.index ?? 0) / pageRows);
  const last = Math.floor((shown.at(-1)?.index ?? 0) / pageRows);
  const one = useJson<BlockPage>(pages(first), total);
  const two = useJson<BlockPage>(pages(last), total);
  const rowAt = (index: number) => {
    const page = Math.floor(index / pageRows) === first ? one : two;
    // Until the page has come, its data is that of another one.
    return page.loading ? undefined : page.data?.items[index % pageRows];
  };
  useEffect(() => {
    if (isAll) virtual.scrollToIndex(current - 1, { align: 'auto' });
  }, [current, isAll, virtual]);
  return (
    <div className="scroller" ref={scroller} tabIndex={-1}>
      <ol style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = rowAt(index);
          return (
            <li key={index} style={{ transform: `translateY(${start}px)`, height: rowPx }}>
              {row && <BlockLink row={row} isCurrent={row.seq === current} />}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function BlockLink({ row, isCurrent }: { readonly row: BlockRow; readonly isCurrent: boolean }) {
  const { to } = useAddress();
  return (
    <a
      className="block-row"
      href={to({ block: row.seq })}
      aria-current={isCurrent ? 'true' : undefined}
    >
      <span className="seq">{row.seq}</span>
      <span className="turn">{row.turn_name}</span>
      <span className="type">{row.type}</span>
      <span className="summary">{row.summary}</span>
      <span className="chars">{count(row.chars)}</span>
    </a>
  );
}
