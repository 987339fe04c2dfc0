/// <reference lib="dom" />
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { isRefusal } from '../../../../base/refusal.ts';
import type { SecretPart } from '../../../../client/index.ts';
import { listSecrets, saveSecret, type UserSecret } from '../server/user-secrets.ts';
import { usePage } from '../state/page-context.ts';

/** Requests a secret that a tool requires, or shows that it is set. */
export function SecretView({ part }: { part: SecretPart }): ReactNode {
  const { bundle, id, description } = part;
  const { ask } = usePage();
  const [secrets, setSecrets] = useState<readonly UserSecret[]>([]);
  useEffect(() => {
    let isShown = true;
    void missingSecrets({ bundle, id, description }).then((missing) => {
      if (isShown) setSecrets(missing);
    });
    return () => {
      isShown = false;
    };
  }, [bundle, id, description]);
  const done = (name: string) => ask(`${name} is set. Please continue.`);
  return (
    <div className="secrets" data-kind="secret">
      {secrets.map((secret) => (
        <SecretForm key={secret.id} bundle={bundle} secret={secret} done={done} />
      ))}
    </div>
  );
}

/** The missing secrets as the server lists them or, if it does not answer, as the call named them. */
async function missingSecrets(
  part: Pick<SecretPart, 'bundle' | 'id' | 'description'>,
): Promise<readonly UserSecret[]> {
  const { bundle, id, description } = part;
  try {
    const all = await listSecrets(bundle);
    return all.filter((secret) => (id === '' ? !secret.set : secret.id === id));
  } catch {
    return id === '' ? [] : [{ id, description, set: false }];
  }
}

type FormProps = {
  readonly bundle: string;
  readonly secret: UserSecret;
  /** The user has saved the secret and wants to continue. */
  done(id: string): void;
};

/** Sets one secret of a bundle. The value goes to the server and is not kept in the page. */
function SecretForm({ bundle, secret: { id, description, set }, done }: FormProps): ReactNode {
  const [step, setStep] = useState<'open' | 'saving' | 'saved' | 'set'>(set ? 'set' : 'open');
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (step === 'saved') next.current?.focus();
  }, [step]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setStep('saving');
    setProblem('');
    try {
      await saveSecret(bundle, id, field.current?.value ?? '');
      if (field.current) field.current.value = '';
      setStep('saved');
    } catch (error) {
      setProblem(problemOf(error));
      setStep('open');
      field.current?.focus();
    }
  };
  const isOpen = step === 'open' || step === 'saving';
  const heading = description === '' ? id : description;
  return (
    <form className="secret" aria-label={heading} onSubmit={(event) => void submit(event)}>
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
        <button type="submit" hidden={!isOpen} disabled={step === 'saving'}>
          Save
        </button>
        <Settled step={step} id={id} next={next} done={done} change={() => setStep('open')} />
      </div>
      <p className="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

type SettledProps = {
  readonly step: string;
  readonly id: string;
  readonly next: React.RefObject<HTMLButtonElement | null>;
  done(id: string): void;
  change(): void;
};

function Settled({ step, id, next, done, change }: SettledProps): ReactNode {
  const [isContinued, setContinued] = useState(false);
  const isSettled = step === 'saved' || step === 'set';
  const proceed = () => {
    setContinued(true);
    done(id);
  };
  return (
    <>
      <button ref={next} type="button" hidden={step !== 'saved' || isContinued} onClick={proceed}>
        Continue
      </button>
      <button type="button" hidden={!isSettled} onClick={change}>
        Change
      </button>
      <span className="outcome" role="status">
        {step === 'saved' ? 'Saved.' : step === 'set' ? `${id} is set.` : ''}
      </span>
    </>
  );
}

function problemOf(error: unknown): string {
  if (!isRefusal(error)) return 'Not saved: the server cannot be reached. Try again.';
  return `Not saved: ${error.message.replace(/\.$/, '')}.`;
}
