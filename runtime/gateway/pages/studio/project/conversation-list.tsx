import { useMemo, useState } from 'react';
import { useAddress } from '../data/address.ts';
import { count, moment } from '../data/format.ts';
import { inspectUrl } from '../data/server.ts';
import { useInterval } from '../data/use-interval.ts';
import { useJson } from '../data/use-json.ts';
import type { ConversationItem } from '../data/wire.ts';
import { Problem } from './problem.tsx';

/** How often the list looks for new conversations. */
const listEveryMs = 10_000;

export function ConversationList() {
  const [text, setText] = useState('');
  const version = useInterval(listEveryMs);
  const { address } = useAddress();
  const { data, error } = useJson<{ items: readonly ConversationItem[] }>(
    inspectUrl('conversations'),
    version,
  );
  const items = useMemo(
    () => (data?.items ?? []).filter((item) => matches(item, text)),
    [data, text],
  );
  return (
    <nav className="list" aria-label="Conversations">
      <input
        type="search"
        placeholder="Filter conversations"
        aria-label="Filter conversations"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error && <Problem error={error} />}
      <ul>
        {items.map((item) => (
          <li key={`${item.user} ${item.id}`}>
            <Item item={item} isCurrent={item.id === address.page} />
          </li>
        ))}
      </ul>
      {data && items.length === 0 && <p className="none">No conversations</p>}
    </nav>
  );
}

function Item({
  item,
  isCurrent,
}: {
  readonly item: ConversationItem;
  readonly isCurrent: boolean;
}) {
  const { id, user, title, head, active_turn_id: active, forked_from: origin } = item;
  return (
    <a href={`#${encodeURIComponent(id)}`} aria-current={isCurrent ? 'page' : undefined}>
      <span className="title">
        {active !== undefined && (
          <span className="working" role="img" aria-label="working">
            ●
          </span>
        )}
        {title === '' ? 'Untitled' : title}
      </span>
      <span className="facts">
        {user} · {count(head)} blocks · {moment(item.last_activity_at)}
        {origin && ` · fork of block ${origin.seq}`}
      </span>
    </a>
  );
}

function matches({ id, title, user }: ConversationItem, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return `${title} ${user} ${id}`.toLowerCase().includes(wanted);
}
