import type { RequestFailure } from '../data/server.ts';

/** What went wrong, and what to do about it. */
export function Problem({ error }: { readonly error: RequestFailure }) {
  const hint = error.code === 'forbidden' ? 'Ask an administrator for this role.' : '';
  return (
    <p className="problem" role="alert">
      {error.message} {hint}
    </p>
  );
}
