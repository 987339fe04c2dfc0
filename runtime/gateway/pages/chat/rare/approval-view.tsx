/// <reference lib="dom" />
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { type ApprovalPart, type Json, Refusal } from '../../../../client/index.ts';
import { usePage } from '../state/page-context.ts';

type Outcomes = Readonly<Record<string, string>>;

const unanswered = { expired: 'Not answered in time', interrupted: 'No longer required' };
const ofCalls = {
  allow: 'Allow',
  deny: 'Deny',
  outcomes: { allowed: 'Allowed', denied: 'Denied', ...unanswered } as Outcomes,
};
const words = {
  call: ofCalls,
  tool_failure: ofCalls,
  agent: ofCalls,
  spending: {
    allow: 'Extend',
    deny: 'Stop',
    outcomes: { allowed: 'Extended', denied: 'Stopped', ...unanswered } as Outcomes,
  },
} as const;

/** An approval request with its choices, then its outcome. */
export function ApprovalView({ part }: { part: ApprovalPart }): ReactNode {
  const { title, detail, call, outcome, asks } = part;
  const outcomes: Outcomes = words[asks].outcomes;
  if (outcome === '') {
    return (
      <section className="approval" data-kind="approval" data-outcome="" aria-label={title}>
        <strong dir="auto">{title}</strong>
        {detail !== '' && <p dir="auto">{detail}</p>}
        <Choices part={part} />
      </section>
    );
  }
  return (
    <section className="decided" data-kind="approval" data-outcome={outcome} aria-label={title}>
      <details>
        <summary>
          <span className="label">
            <span dir="auto">{title}</span>{' '}
            <b className="outcome">{outcomes[outcome] ?? outcome}</b>
          </span>
        </summary>
        {detail !== '' && <p dir="auto">{detail}</p>}
        {call && <pre>{`${call.tool} ${JSON.stringify(call.input, null, 2)}`}</pre>}
      </details>
    </section>
  );
}

/** The approvals that the turn waits for. They stay above the message field, wherever the conversation is scrolled. */
export function ApprovalDock({ pending }: { pending: readonly ApprovalPart[] }): ReactNode {
  // The answered request was focused and is gone.
  useEffect(() => () => document.getElementById('text')?.focus(), []);
  return (
    <div id="dock">
      {pending.map((part) => (
        <ApprovalView key={part.request} part={part} />
      ))}
    </div>
  );
}

type Remember = ApprovalPart['remember'];

function Choices({ part }: { part: ApprovalPart }): ReactNode {
  const { request, asks, call } = part;
  const { decide } = usePage();
  const [remember, setRemember] = useState<Remember>(part.remember);
  const [input, setInput] = useState<string>();
  const [state, setState] = useState({ isSent: false, problem: '' });
  const left = useSecondsUntil(part.deadline);
  const say = async (allow: boolean) => {
    const edited = allow && input !== undefined ? parse(input) : {};
    if (edited === undefined) {
      setState({ isSent: false, problem: 'The input is not valid JSON.' });
      return;
    }
    setState({ isSent: true, problem: '' });
    try {
      await decide(request, { allow, ...(allow && call && { remember }), ...edited });
    } catch (error) {
      const problem = error instanceof Refusal ? error.message : 'The answer was not sent.';
      setState({ isSent: false, problem });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void say(true);
  };
  return (
    <form onSubmit={submit}>
      {call && (
        <CallInput call={call} input={input} edit={asks === 'agent' ? undefined : setInput} />
      )}
      <div className="answers">
        <button type="submit" className="primary" disabled={state.isSent}>
          {words[asks].allow}
        </button>
        <button type="button" disabled={state.isSent} onClick={() => void say(false)}>
          {words[asks].deny}
        </button>
        {call && <Scope value={remember} choose={setRemember} />}
        <span className="countdown">{left === undefined ? '' : clock(left)}</span>
        <span className="outcome" role="status">
          {state.problem}
        </span>
      </div>
    </form>
  );
}

function Scope({ value, choose }: { value: Remember; choose(value: Remember): void }): ReactNode {
  const scopes = {
    once: 'only this time',
    turn: 'in this turn',
    conversation: 'in this conversation',
  };
  return (
    <select
      aria-label="How long the approval is valid"
      value={value}
      onChange={(event) => choose(toRemember(event.target.value))}
    >
      {Object.entries(scopes).map(([id, label]) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  );
}

function toRemember(value: string): Remember {
  return value === 'turn' || value === 'conversation' ? value : 'once';
}

type InputProps = {
  readonly call: { readonly tool: string; readonly input: Json | undefined };
  /** The changed input; undefined: unchanged. */
  readonly input: string | undefined;
  /** Undefined: the input cannot be changed. */
  readonly edit: ((input: string) => void) | undefined;
};

function CallInput({ call, input, edit }: InputProps): ReactNode {
  const text = call.input === undefined ? '' : JSON.stringify(call.input, null, 2);
  if (input === undefined || !edit) {
    return (
      <div className="call-input">
        <pre>{`${call.tool} ${text}`}</pre>
        {edit && (
          <button type="button" className="quiet-button" onClick={() => edit(text)}>
            Change input
          </button>
        )}
      </div>
    );
  }
  return (
    <textarea
      className="input-editor"
      aria-label={`Input of ${call.tool}`}
      spellCheck={false}
      rows={Math.min(12, input.split('\n').length + 1)}
      value={input}
      onChange={(event) => edit(event.target.value)}
    />
  );
}

function parse(input: string): { readonly input: Json } | undefined {
  try {
    // What JSON.parse returns is JSON.
    return { input: JSON.parse(input) as Json };
  } catch {
    return undefined;
  }
}

/** Undefined without a deadline, or far from it. */
function useSecondsUntil(deadline: string): number | undefined {
  const at = Date.parse(deadline);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.round((at - now) / 1_000));
  return Number.isNaN(at) || left > 3_600 ? undefined : left;
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
}
