import type { ReactNode } from 'react';
import type { Source } from '../../../../client/index.ts';
import { usePage } from '../state/page-context.ts';

export function Sources({ sources }: { sources: readonly Source[] }): ReactNode {
  if (sources.length === 0) return null;
  return (
    <ol className="sources" aria-label="Sources">
      {sources.map(({ sid, title, url }) => (
        <li key={sid}>
          <span>{sid}</span>
          {/^https?:/i.test(url) ? (
            <a href={url} target="_blank" rel="noopener noreferrer">
              {title}
            </a>
          ) : (
            title
          )}
        </li>
      ))}
    </ol>
  );
}

export function Suggestions({ suggestions }: { suggestions: readonly string[] }): ReactNode {
  const { ask } = usePage();
  if (suggestions.length === 0) return null;
  return (
    <div className="suggestions">
      {suggestions.map((text) => (
        <button key={text} type="button" onClick={() => ask(text)}>
          {text}
        </button>
      ))}
    </div>
  );
}
