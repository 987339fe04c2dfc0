import type { RequestFailure } from '../data/server.ts';

/** What went wrong, and what to do about it. */
export function Problem({ error }: { readonly error: RequestFailure }) {
  const hint =
    error.code === 'unauthenticated' ? (
      <a href="/">Sign in on the chat page</a>
    ) : error.code === 'forbidden' ? (
      'Ask an administrator for this role.'
    ) : null;
  return (
    <p className="problem" role="alert">
      {error.message} {hint}
    </p>
  );
}
