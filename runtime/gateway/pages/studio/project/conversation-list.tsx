import { Fragment, useDeferredValue, useState } from 'react';
import { formatAddress, useAddress } from '../data/address.ts';
import { useActivity, useLive } from '../data/events.ts';
import { moment, money, short } from '../data/format.ts';
import { inspectUrl } from '../data/server.ts';
import { useInterval } from '../data/use-interval.ts';
import { usePages } from '../data/use-pages.ts';
import type { ListedConversation } from '../data/wire.ts';
import { ListFilters, noFilter, toQuery } from './list-filters.tsx';
import { Problem } from './problem.tsx';

/** Conversations that are loaded at once. */
const pageRows = 60;
/** How often the list is read again where the server does not tell what works. */
const listEveryMs = 10_000;

/** Conversations with their state and cost; the newest activity first. */
export function ConversationList() {
  const [filter, setFilter] = useState(noFilter);
  const { address } = useAddress();
  const { items: working } = useLive();
  const tick = useInterval(working === undefined ? listEveryMs : 0);
  const query = useDeferredValue(toQuery(filter, pageRows));
  const activity = useActivity();
  const { items, isLoaded, error, hasMore, loadMore } = usePages<ListedConversation>(
    inspectUrl(`conversations?${query}`),
    `${tick} ${activity} ${address.page}`,
  );
  const agents = [...new Set(items.flatMap(({ agent }) => agent ?? []))].toSorted();
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return (
    <nav className="list" aria-label="Conversations">
      <ListFilters filter={filter} agents={agents} onChange={setFilter} />
      {error && <Problem error={error} />}
      <ul>
        {items.map((item) => (
          <li key={`${item.user} ${item.id}`}>
            <Item item={item} isCurrent={item.id === address.page} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" onClick={() => void loadMore()}>
          Load more
        </button>
      )}
      {isLoaded && items.length === 0 && (
        <p className="none">{isFiltered ? 'No conversation matches.' : 'No conversations'}</p>
      )}
    </nav>
  );
}

const marks = {
  working: { sign: '●', name: 'working' },
  waiting: { sign: '⏸', name: 'waits for an answer' },
  failed: { sign: '✕', name: 'failed' },
  done: undefined,
};

type ItemProps = { readonly item: ListedConversation; readonly isCurrent: boolean };

function Item({ item, isCurrent }: ItemProps) {
  const { id, user, title, head, state, cost_usd: cost, forked_from: origin, passage } = item;
  const mark = marks[state];
  const facts = [user, `${short(head)} blocks`, money(cost), moment(item.last_activity_at)];
  return (
    <a
      href={formatAddress({
        page: id,
        ...(passage
          ? { tab: 'blocks', at: passage.block, block: passage.block }
          : { tab: 'prompt' }),
      })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span className="title">
        {mark && (
          <span className={`state ${state}`} role="img" aria-label={mark.name}>
            {mark.sign}
          </span>
        )}
        {title === '' ? 'Untitled' : title}
      </span>
      <span className="facts">
        {facts.filter(Boolean).join(' · ')}
        {origin && ` · fork of block ${origin.seq}`}
      </span>
      {passage && <Passage {...passage} />}
    </a>
  );
}

function Passage({ text, marks }: NonNullable<ListedConversation['passage']>) {
  return (
    <q className="passage">
      {text.slice(0, marks[0]?.from)}
      {marks.map(({ from, to }, index) => (
        <Fragment key={from}>
          <mark>{text.slice(from, to)}</mark>
          {text.slice(to, marks[index + 1]?.from)}
        </Fragment>
      ))}
    </q>
  );
}
