import { useState } from 'react';
import { useAddress } from '../data/address.ts';
import { count } from '../data/format.ts';
import type { CheckResult } from '../data/project-wire.ts';
import { runCheck } from '../data/server.ts';

type State = { readonly text: string; readonly block?: number; readonly bad?: boolean };

/** A check with its progress; the first difference that it finds is a link. */
export function Check({ name, url }: { readonly name: string; readonly url: string }) {
  const [state, setState] = useState<State>();
  const { to } = useAddress();
  const run = async () => {
    setState({ text: '…' });
    try {
      for await (const event of runCheck(url)) {
        setState(
          event.event === 'done' ? outcome(event.result) : { text: `${event.done} of ${event.of}` },
        );
      }
    } catch (error) {
      setState({ text: error instanceof Error ? error.message : String(error), bad: true });
    }
  };
  return (
    <span className="check">
      <button type="button" onClick={() => void run()}>
        {name}
      </button>
      {state && (
        <output className={state.bad ? 'failed' : undefined} aria-live="polite">
          {state.block === undefined ? (
            state.text
          ) : (
            <a href={to({ tab: 'blocks', block: state.block })}>{state.text}</a>
          )}
        </output>
      )}
    </span>
  );
}

function outcome({ problems, blocks = 0, divergence, prompts, replies }: CheckResult): State {
  const [first] = problems ?? [];
  if (first) {
    const text = `✕ ${problems?.length} problems: ${first.code}: ${first.text}`;
    return { text, block: first.seq, bad: true };
  }
  if (problems) return { text: `✓ ${count(blocks)} blocks, no problems` };
  if (divergence) {
    const { seq, type, field } = divergence;
    return { text: `✕ block ${seq} (${type}) differs in ${field}`, block: seq, bad: true };
  }
  return { text: `✓ ${prompts} prompts are identical, ${replies} replies give the same blocks` };
}
