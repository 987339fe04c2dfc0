import { type FormEvent, useState } from 'react';

/** A form that sends something: what went wrong, and whether it is under way. */
export function useAction(send: () => Promise<void>) {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    send()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return { problem, isBusy, submit };
}
