import { useAddress } from '../data/address.ts';
import { cachedShare, duration, endOf, inputTokens, money, short } from '../data/format.ts';
import { sentencesOf } from '../data/likely-sources.ts';
import { meaningOf } from '../data/miss-causes.ts';
import type { Round, Rounds, Turn } from '../data/wire.ts';
import type { Row } from './rows.ts';

type Props = { readonly row: Row; readonly log: Rounds; readonly isCurrent: boolean };

export function RoundListRow({ row, log, isCurrent }: Props) {
  switch (row.kind) {
    case 'turn':
      return <TurnHead turn={row.turn} />;
    case 'round':
      return <RoundLink round={row.round} turn={row.turn} log={log} isCurrent={isCurrent} />;
    case 'event':
      return (
        <p className="event">
          ⤷ {row.event.type.replace(/^(external|user)\./, '')} landed at block {row.block}:{' '}
          {row.event.text}
        </p>
      );
    case 'answer':
      return <Answer turn={row.turn} text={row.text} block={row.block} />;
  }
}

function TurnHead({ turn }: { readonly turn: Turn }) {
  const facts = [turn.agent, ...modelsOf(turn), duration(turn.ms), money(turn.usage.cost_usd)]
    .filter(Boolean)
    .join(' · ');
  const failed = turn.reason !== undefined && turn.reason !== 'completed' ? turn.reason : undefined;
  return (
    <div className="turn-head">
      <h2>
        Turn {turn.name.slice(1)}{' '}
        <span className="said">{turn.prompt === '' ? 'no text' : turn.prompt}</span>
      </h2>
      <p className="facts">
        {facts}
        {failed !== undefined && (
          <strong className="failed">
            {' '}
            {failed}
            {turn.error?.message !== undefined && `: ${turn.error.message}`}
          </strong>
        )}
      </p>
      {turn.feedback && <Feedback feedback={turn.feedback} />}
    </div>
  );
}

/** Their names, without the provider. */
function modelsOf({ rounds }: Turn): readonly string[] {
  const names = rounds.flatMap(({ model }) => model?.replace(/^[^:]*:/, '') ?? []);
  return [...new Set(names)];
}

const reactions: Readonly<Record<string, string>> = {
  ok: 'rated as good',
  not_ok: 'rated as bad',
  neutral: 'rated as neutral',
};

function Feedback({ feedback }: { readonly feedback: NonNullable<Turn['feedback']> }) {
  const { reaction, text } = feedback;
  return (
    <p className={reaction === 'not_ok' ? 'failed' : 'good'}>
      {reactions[reaction] ?? reaction}
      {text !== '' && `: ${text}`}
    </p>
  );
}

type RoundProps = {
  readonly round: Round;
  readonly turn: Turn;
  readonly log: Rounds;
  readonly isCurrent: boolean;
};

function RoundLink({ round, turn, log, isCurrent }: RoundProps) {
  const { to } = useAddress();
  const all = log.turns.flatMap(({ rounds }) => rounds);
  const input = inputTokens(round.usage);
  const facts = [
    input > 0 && `${short(input)} in`,
    cachedShare(round.usage) && `${cachedShare(round.usage)} cached`,
    duration(round.ms),
    money(round.usage.cost_usd),
  ];
  const odd =
    round.outcome !== undefined && !['acted', 'answered', 'ready'].includes(round.outcome);
  return (
    <a
      className="round"
      href={to({
        at: endOf(all, round, log.head),
        block: undefined,
        find: undefined,
        with: undefined,
      })}
      aria-current={isCurrent ? 'true' : undefined}
    >
      <span className="unseen">
        Turn {turn.name.slice(1)}, round {round.round}
      </span>
      <span className="number" aria-hidden="true">
        r{round.round}
      </span>
      <Steps round={round} />
      <span className="what">{whatOf(round, turn)}</span>
      <span className="facts">{facts.filter(Boolean).join(' · ')}</span>
      {odd && <strong className="failed">{round.outcome}</strong>}
      {round.miss && isNotable(round.miss, round) && (
        <span className="miss">
          {short(round.miss.tokens)} sent again: {meaningOf(round.miss.cause)}
        </span>
      )}
    </a>
  );
}

/** What a round did: its calls, else its phase. */
function whatOf({ steps, phase, outcome }: Round, { reason }: Turn): string {
  const names = steps.filter(({ kind }) => kind !== 'model').map(({ name }) => name);
  if (names.length > 0) return names.join(', ');
  if (outcome === undefined && reason === undefined) return 'at work…';
  return phase === 'decision' ? 'answer' : phase;
}

/** A part of the prompt that was read from a cache before and is sent again, unless it is very small. */
function isNotable({ cause, tokens }: NonNullable<Round['miss']>, { usage }: Round): boolean {
  if (cause === 'tail' || cause === 'new') return false;
  return tokens >= inputTokens(usage) * missShareMin;
}

const missShareMin = 0.01;

/** A bar: how the time of a round was spent. */
function Steps({ round }: { readonly round: Round }) {
  const all = Math.max(
    1,
    round.steps.reduce((sum, { ms = 0 }) => sum + ms, 0),
  );
  return (
    <span className="steps" aria-hidden="true">
      {round.steps.map(({ kind, block, ms = 0, ok }) => (
        <span
          key={`${kind}${block}`}
          className={`step ${kind}${ok === false ? ' bad' : ''}`}
          style={{ flexGrow: Math.max(0.06, ms / all) }}
        />
      ))}
    </span>
  );
}

/** Each sentence links to the passages of the prompt that it may come from. */
function Answer({
  turn,
  text,
  block,
}: {
  readonly turn: Turn;
  readonly text: string;
  readonly block: number;
}) {
  const { to } = useAddress();
  const round = turn.rounds.findLast(({ seq }) => seq <= block);
  return (
    <blockquote className="answer" aria-label={`Answer of turn ${turn.name.slice(1)}`}>
      {sentencesOf(text).map(({ sentence, from }) =>
        sentence.trim().length < 3 ? (
          sentence
        ) : (
          <a
            key={from}
            href={to({
              at: Math.max(block, round?.seq ?? block),
              tab: 'prompt',
              find: sentence.trim(),
              block: undefined,
            })}
            title="Find where this sentence comes from"
          >
            {sentence}
          </a>
        ),
      )}
    </blockquote>
  );
}
