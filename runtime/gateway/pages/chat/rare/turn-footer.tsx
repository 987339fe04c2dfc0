/// <reference lib="dom" />
import { type ReactNode, useState } from 'react';
import type { TurnEnd, TurnState } from '../../../../client/index.ts';
import { branchIcon } from '../../shared/action-icons.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { IconButton } from '../../shared/icon-button.tsx';
import { formatDuration } from '../state/format.ts';
import { usePage } from '../state/page-context.ts';
import { adviceFor } from './fault-advice.ts';
import { FeedbackButtons } from './feedback-buttons.tsx';
import { RetryButton } from './retry-button.tsx';

type Props = { readonly turn: TurnState; readonly end: TurnEnd; readonly isLast: boolean };

const endTexts: Readonly<Record<string, string>> = {
  interrupted: 'Stopped.',
  exhausted: 'This turn used up its budget.',
  parked: 'Waiting for an external result.',
  handed_off: 'Handed off.',
};

/** How a turn ended, what it used, and what can be done with it. */
export function TurnFooter({ turn, end, isLast }: Props): ReactNode {
  const { conversation, branch } = usePage();
  const prompt = promptOf(turn);
  return (
    <footer className="end">
      <Outcome turn={turn} end={end} isLast={isLast} />
      <div className="turn-actions">
        {turn.answer !== '' && <CopyButton label="Copy answer" text={() => turn.answer} />}
        {prompt !== '' && <RetryButton turn={turn} prompt={prompt} />}
        <IconButton icon={branchIcon} label="Continue in a copy" onClick={() => branch(turn.id)} />
        <FeedbackButtons turn={turn} />
        <a
          className="facts"
          href={`/studio/#${conversation.id}?at=${end.seq}`}
          title="How this came about, in the studio"
        >
          {factsOf(turn, end).join(' · ')}
        </a>
      </div>
    </footer>
  );
}

function Outcome({ turn, end, isLast }: Props): ReactNode {
  const { ask } = usePage();
  const [isSent, setSent] = useState(false);
  const failed = end.reason === 'failed';
  const said = failed
    ? `This turn failed: ${end.message.replace(/[.]?$/, '.')}`
    : (endTexts[end.reason] ?? '');
  const degraded = end.degraded ? 'The answer did not follow the required format.' : '';
  const prompt = promptOf(turn);
  if (said === '' && degraded === '') return null;
  return (
    <div className={`outcome-line ${failed ? 'bad' : ''}`}>
      {[said, degraded].filter((part) => part !== '').join(' ')}
      {failed && (
        <span className="advice">
          {adviceFor(end.code)} <code>{end.code}</code>
        </span>
      )}
      {failed && isLast && prompt !== '' && !isSent && (
        <button
          type="button"
          onClick={() => {
            setSent(true);
            ask(prompt);
          }}
        >
          Send again
        </button>
      )}
    </div>
  );
}

/** Time, tokens and cost. */
function factsOf({ startedAt }: TurnState, { at, usage }: TurnEnd): readonly string[] {
  const { inputTokens, outputTokens, cacheReadTokens, costUsd } = usage;
  const ms = Date.parse(at) - Date.parse(startedAt);
  const input = inputTokens + cacheReadTokens;
  const tokens = input + outputTokens;
  const share = input > 0 ? Math.round((100 * cacheReadTokens) / input) : 0;
  return [
    ...(Number.isFinite(ms) && ms >= 0 ? [formatDuration(ms)] : []),
    ...(tokens > 0 ? [`${tokens.toLocaleString('en')} tokens`] : []),
    ...(share > 0 ? [`${share} % cached`] : []),
    ...(costUsd > 0 ? [`$${costUsd.toFixed(costUsd < 0.01 ? 4 : 2)}`] : []),
  ];
}

/** The prompt to send again; empty if it had files. */
function promptOf({ parts }: TurnState): string {
  const message = parts.find((part) => part.kind === 'message');
  return message?.kind === 'message' && message.files.length === 0 ? message.text : '';
}
