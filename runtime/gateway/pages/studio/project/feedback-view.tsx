import { formatAddress, useAddress } from '../data/address.ts';
import { useActivity } from '../data/events.ts';
import { moment } from '../data/format.ts';
import type { RatingItem } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { Problem } from './problem.tsx';

type Answer = { readonly items: readonly RatingItem[]; readonly has_more: boolean };

const choices = { '': 'all', not_ok: 'bad', ok: 'good', neutral: 'neutral' };
const reactions = { not_ok: 'bad', ok: 'good', neutral: 'neutral' };

/** Turns that users or checks have rated; each leads to its conversation, where it becomes a test. */
export function FeedbackView() {
  const { address, to } = useAddress();
  const reaction = address.by ?? '';
  const filter = reaction === '' ? '' : `?reaction=${encodeURIComponent(reaction)}`;
  const { data, error } = useJson<Answer>(inspectUrl(`ratings${filter}`), useActivity());
  return (
    <main className="project">
      <h2>Feedback of the last 30 days</h2>
      <nav className="grouping" aria-label="Rated as">
        {Object.entries(choices).map(([value, name]) => (
          <a
            key={value}
            href={to({ by: value || undefined })}
            aria-current={value === reaction ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      {error && <Problem error={error} />}
      {data?.items.length === 0 && <p className="none">No turn was rated so in this time.</p>}
      <ul className="failures ratings">
        {data?.items.map((item) => (
          <li key={`${item.user} ${item.conversation_id} ${item.turn} ${item.at} ${item.origin}`}>
            <Rating item={item} />
          </li>
        ))}
      </ul>
      {data?.has_more && <p className="facts">There are more.</p>}
    </main>
  );
}

function Rating({ item }: { readonly item: RatingItem }) {
  const { conversation_id: page, turn, at, reaction, origin, text, prompt, answer, user } = item;
  return (
    <>
      <a href={formatAddress({ page, turn, tab: 'prompt' })}>{prompt || item.title || page}</a>
      <span className={reaction === 'not_ok' ? 'failed' : 'good'}>
        {reactions[reaction]}
        {text !== '' && `: ${text}`}
      </span>
      {answer !== '' && <q>{answer}</q>}
      <span className="facts">
        {origin === 'machine' ? 'a check' : user} · {moment(at)}
      </span>
    </>
  );
}
