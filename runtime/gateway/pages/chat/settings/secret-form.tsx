/// <reference lib="dom" />
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { SecretEntry } from '../../../../client/index.ts';
import { useClient } from '../state/client-context.ts';
import { problemOf } from './problem-of.ts';

type Props = {
  readonly bundle: string;
  readonly secret: SecretEntry;
  /** In a conversation: the user has saved the secret and wants to continue. Elsewhere the secret can be removed. */
  readonly proceed?: (id: string) => void;
};
type Step = 'open' | 'busy' | 'saved' | 'set' | 'removed';

/** Sets one secret of a bundle. The value goes to the server and is not kept in the page. */
export function SecretForm({ bundle, secret, proceed }: Props): ReactNode {
  const { id, description } = secret;
  const { step, problem, field, save, remove, change } = useSecret(bundle, secret);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (step === 'saved') next.current?.focus();
  }, [step]);
  const isOpen = step !== 'saved' && step !== 'set';
  const heading = description === '' ? id : description;
  return (
    <form className="secret" aria-label={heading} onSubmit={save}>
      <strong>{heading}</strong>
      <p>
        {bundle} uses {id} for your account only. It is not part of the conversation and is not
        shown again.
      </p>
      <div className="answers">
        <input
          ref={field}
          type="password"
          autoComplete="off"
          spellCheck={false}
          required={isOpen}
          hidden={!isOpen}
          aria-label={`Value of ${id}`}
        />
        <button type="submit" hidden={!isOpen} disabled={step === 'busy'}>
          Save
        </button>
        {proceed && <Continue isOffered={step === 'saved'} at={next} act={() => proceed(id)} />}
        <button type="button" hidden={isOpen} onClick={change}>
          Change
        </button>
        {!proceed && (
          <button type="button" hidden={isOpen} onClick={remove}>
            Remove
          </button>
        )}
        <span className="outcome" role="status">
          {outcomes[step]?.(id)}
        </span>
      </div>
      <p className="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

const outcomes: Partial<Record<Step, (id: string) => string>> = {
  saved: () => 'Saved.',
  set: (id) => `${id} is set.`,
  removed: () => 'Removed.',
};

function useSecret(bundle: string, { id, set }: SecretEntry) {
  const { account } = useClient();
  const [step, setStep] = useState<Step>(set ? 'set' : 'open');
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const act = async (failed: string, change: () => Promise<Step>) => {
    const before = step;
    setStep('busy');
    setProblem('');
    try {
      setStep(await change());
    } catch (error) {
      setProblem(problemOf(failed, error));
      setStep(before);
      field.current?.focus();
    }
  };
  return {
    ...{ step, problem, field },
    save: (event: FormEvent) => {
      event.preventDefault();
      void act('Not saved', async () => {
        await account.setSecret(bundle, id, field.current?.value ?? '');
        if (field.current) field.current.value = '';
        return 'saved';
      });
    },
    remove: () =>
      void act('Not removed', async () => {
        await account.deleteSecret(bundle, id);
        return 'removed';
      }),
    change: () => setStep('open'),
  };
}

type ContinueProps = {
  readonly isOffered: boolean;
  readonly at: RefObject<HTMLButtonElement | null>;
  act(): void;
};

function Continue({ isOffered, at, act }: ContinueProps): ReactNode {
  const [isDone, setDone] = useState(false);
  const proceed = () => {
    setDone(true);
    act();
  };
  return (
    <button ref={at} type="button" hidden={!isOffered || isDone} onClick={proceed}>
      Continue
    </button>
  );
}
