/// <reference lib="dom" />
import { type ReactNode, useState } from 'react';
import { useClient } from '../state/client-context.ts';
import { problemOf } from './problem-of.ts';

type Status = 'erased' | 'erasing';
type Props = { done(status: Status): void };

/** Erases everything that the user has, after a second question. */
export function EraseData({ done }: Props): ReactNode {
  const { account } = useClient();
  const [step, setStep] = useState<'closed' | 'open' | 'busy'>('closed');
  const [problem, setProblem] = useState('');
  const erase = () => {
    setStep('busy');
    setProblem('');
    account.erase().then(done, (error: unknown) => {
      setProblem(problemOf('Not erased', error));
      setStep('open');
    });
  };
  return (
    <section aria-labelledby="settings-data">
      <h3 id="settings-data">Your data</h3>
      {step === 'closed' ? (
        <div className="answers">
          <button type="button" onClick={() => setStep('open')}>
            Erase all my data…
          </button>
        </div>
      ) : (
        <>
          <p>
            Your conversations with their files, your settings and secrets, and what agents remember
            about you will be erased permanently.
          </p>
          <div className="answers">
            <button
              type="button"
              className="primary dangerous"
              disabled={step === 'busy'}
              onClick={erase}
            >
              Erase everything
            </button>
            <button type="button" disabled={step === 'busy'} onClick={() => setStep('closed')}>
              Cancel
            </button>
          </div>
        </>
      )}
      <p className="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}

/** What is shown in place of the settings afterwards. */
export const erasedTexts: Record<Status, string> = {
  erased: 'All your data is erased.',
  erasing: 'Your data is being erased. This takes a while longer, also if you leave the page.',
};
