import { useMemo } from 'react';
import { useAddress } from '../data/address.ts';
import { placeOf } from '../data/format.ts';
import { likelySources, rarestWord } from '../data/likely-sources.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { BlockPage, Prompt, Rounds } from '../data/wire.ts';
import { standing } from './causes.ts';

type Props = { readonly prompt: Prompt; readonly log: Rounds; readonly find: string };

const shownChars = 220;
const missingMax = 5;

/** Where a sentence of the answer may come from: passages of the prompt, and blocks that the prompt does not show. */
export function SourcePanel({ prompt, log, find }: Props) {
  const { to } = useAddress();
  const sources = useMemo(() => likelySources(prompt, find), [prompt, find]);
  return (
    <section className="sources" aria-label="Likely sources">
      <h3>
        Where this comes from
        <a className="close" href={to({ find: undefined })} aria-label="Close">
          ×
        </a>
      </h3>
      <q>{find}</q>
      {sources.length === 0 && (
        <p>
          No passage of the prompt shares more with it than a short word: the model wrote it without
          a source.
        </p>
      )}
      <ol>
        {sources.map(({ origin, text, part }) => (
          <li key={`${part}.${origin.from}`}>
            <a href={to({ block: origin.block })}>
              block {origin.block}, {placeOf(log.turns, origin.block)}
              {origin.as !== 'whole' && `, ${origin.as}`}
            </a>
            <p>{excerpt(text)}</p>
          </li>
        ))}
      </ol>
      <Missing prompt={prompt} log={log} find={find} />
    </section>
  );
}

/** Blocks with the rarest word of the sentence that the prompt does not show in full. */
function Missing({ prompt, log, find }: Props) {
  const { to } = useAddress();
  const word = rarestWord(find);
  const url =
    word === undefined
      ? undefined
      : logPath(log.conversation_id, `blocks?limit=500&q=${encodeURIComponent(word)}`);
  const { data } = useJson<BlockPage>(url);
  const absent = new Set(prompt.absent.map(({ block }) => block));
  const rows = (data?.items ?? []).filter(({ seq }) => absent.has(seq)).slice(-missingMax);
  if (rows.length === 0) return null;
  return (
    <>
      <h4>Not in this prompt, but with the word “{word}”</h4>
      <ul>
        {rows.map(({ seq, summary }) => (
          <li key={seq}>
            <a href={to({ block: seq })}>
              block {seq}: {standing(prompt, seq, log)}
            </a>
            <p>{excerpt(summary)}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > shownChars ? `${line.slice(0, shownChars)}…` : line;
}
