/// <reference lib="dom" />
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Reaction, TurnState } from '../../../../client/index.ts';
import { downIcon, upIcon } from '../../shared/action-icons.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import { usePage } from '../state/page-context.ts';

/** Whether an answer was good. After the choice a comment can be added. */
export function FeedbackButtons({ turn }: { turn: TurnState }): ReactNode {
  const { conversation } = usePage();
  const [own, setOwn] = useState<Reaction | null>();
  const [isCommenting, setCommenting] = useState(false);
  const current = own === undefined ? turn.feedback?.reaction : (own ?? undefined);
  const [problem, setProblem] = useState('');
  const rate = async (reaction: Reaction | null, text = '') => {
    setOwn(reaction);
    setProblem('');
    try {
      await conversation.feedback(turn.id, { reaction, text });
    } catch {
      setOwn(undefined);
      setProblem('Not saved.');
    }
  };
  const choose = (reaction: Reaction) => {
    const isSame = current === reaction;
    setCommenting(!isSame);
    void rate(isSame ? null : reaction);
  };
  const comment = (text: string) => {
    setCommenting(false);
    if (text !== '') void rate(current ?? 'neutral', text);
  };
  return (
    <>
      <IconButton
        icon={upIcon}
        label="Good answer"
        aria-pressed={current === 'ok'}
        onClick={() => choose('ok')}
      />
      <IconButton
        icon={downIcon}
        label="Bad answer"
        aria-pressed={current === 'not_ok'}
        onClick={() => choose('not_ok')}
      />
      <span className="feedback-problem" role="status">
        {problem}
      </span>
      {isCommenting && <CommentForm submit={comment} />}
    </>
  );
}

function CommentForm({ submit }: { submit(text: string): void }): ReactNode {
  const [text, setText] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit(text.trim());
  };
  return (
    <form className="comment" onSubmit={send}>
      <input
        aria-label="What was good or bad about it?"
        placeholder="What was good or bad about it?"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && submit('')}
      />
      <button type="submit">{text.trim() === '' ? 'Skip' : 'Save'}</button>
    </form>
  );
}
