import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAddress } from '../data/address.ts';
import { fork, sendPrompt } from '../data/server.ts';
import type { Round, Rounds, Turn } from '../data/wire.ts';

type Props = {
  readonly log: Rounds;
  readonly turn: Turn;
  readonly round: Round | undefined;
  readonly onClose: () => void;
};

/** Forks before the prompt of a turn, and sends another text, to the same agent or another one. */
export function RerunDialog({ log, turn, onClose }: Props) {
  const { go } = useAddress();
  const [text, setText] = useState(turn.prompt);
  const [agent, setAgent] = useState(turn.agent ?? '');
  const [problem, setProblem] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const send = async () => {
    const { conversation_id: id, user } = log;
    const made = await fork(id, turn.seq - 1, user);
    const target = await sendPrompt(made, { text, user, ...(agent !== '' && { agent }) });
    go({ page: target, at: undefined, block: undefined, find: undefined });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send().catch((error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="rerun-title">
      <form onSubmit={submit}>
        <h2 id="rerun-title">Run turn {turn.name.slice(1)} again</h2>
        <p>
          {turn.seq > 1
            ? `A fork continues from block ${turn.seq - 1} with this prompt. This conversation does not change.`
            : 'A new conversation begins with this prompt. This conversation does not change.'}
        </p>
        <label>
          Prompt
          <textarea
            rows={6}
            value={text}
            onChange={(event) => setText(event.target.value)}
            required
          />
        </label>
        <label>
          Agent (bundle/agent)
          <input value={agent} onChange={(event) => setAgent(event.target.value)} />
        </label>
        {problem !== '' && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Run
          </button>
        </div>
      </form>
    </dialog>
  );
}
