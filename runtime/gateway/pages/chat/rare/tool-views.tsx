/// <reference lib="dom" />
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { PlanPart, ProgramPart, ToolPart } from '../../../../client/index.ts';
import { GrowingText } from '../../shared/growing-text.tsx';
import { webResult } from './search-results.tsx';

/** What scrolls must be reachable by keyboard. */
const scrollable = { tabIndex: 0 };

const programs: Readonly<Record<string, string>> = {
  python: 'Python program',
  javascript: 'JavaScript program',
};

export function ProgramView({ part }: { part: ProgramPart }): ReactNode {
  const { text, done, language, output, calls } = part;
  const source = useRef<HTMLPreElement>(null);
  // While the program is being written, show its end; then show its beginning.
  useLayoutEffect(() => {
    if (source.current) source.current.scrollTop = done ? 0 : text === '' ? 0 : 1e9;
  }, [text, done]);
  const called = Object.entries(calls).map(([tool, n]) => (n > 1 ? `${tool} ×${n}` : tool));
  return (
    <details className={`panel code ${done ? '' : 'live'}`} data-kind="code" open>
      <summary>
        <span className="label">
          {done ? (programs[language] ?? 'Program') : 'Writing a program'}
        </span>
        <span className="spacer" />
        <span className="calls">{called.join(', ')}</span>
      </summary>
      <pre ref={source} {...scrollable}>
        <GrowingText as="code" className="" text={text} language={done ? language : ''} />
      </pre>
      <GrowingText as="pre" className="output" label="Output" text={output} />
    </details>
  );
}

export function ToolView({ part, name }: { part: ToolPart; name: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { state, tool, progress, fraction } = part;
  return (
    <details
      className="tool"
      data-kind="tool"
      data-state={state}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <code>{tool}</code>
        {state === 'running' && <span className="progress">{progress}</span>}
        {state === 'running' && fraction !== undefined && (
          <progress aria-label={`Progress of ${name}`} max={1} value={fraction} />
        )}
      </summary>
      {isOpen && (webResult(part) ?? <pre>{explain(part)}</pre>)}
    </details>
  );
}

function explain({ input, result }: ToolPart): string {
  const call = JSON.stringify(input, null, 2);
  return result === undefined ? call : `${call}\n\n→ ${JSON.stringify(result, null, 2)}`;
}

const planStates: Readonly<Record<string, string>> = {
  done: 'done',
  in_progress: 'in progress',
  failed: 'failed',
};

export function PlanView({ part: { steps } }: { part: PlanPart }): ReactNode {
  return (
    <ol className="plan" data-kind="plan" aria-label="Plan">
      {[...steps.entries()].map(([at, { text, status }]) => (
        <li key={at} data-status={status}>
          {text}
          <span className="unseen"> {planStates[status] ?? 'to do'}</span>
        </li>
      ))}
    </ol>
  );
}
