import { useMemo } from 'react';
import { Refusal } from '../../../../client/index.ts';
import { askForToken } from '../later/later.ts';
import type { Notices } from './use-notices.tsx';

const failures = {
  list: 'The list of conversations could not be loaded',
  conversation: 'The conversation could not be loaded',
  earlier: 'Earlier messages could not be loaded',
  recall: 'The message could not be taken back',
  copy: 'The copy of the conversation could not be made',
};

export type Failure = keyof typeof failures;
export type Reports = {
  failed(what: Failure, error: unknown, action?: { readonly label: string; act(): void }): void;
};

/** Shows what went wrong, and asks for a token if one is missing. */
export function useReports(notices: Notices): Reports {
  return useMemo(
    () => ({
      failed(what, error, action) {
        if (error instanceof Refusal && error.code === 'unauthenticated')
          void askForToken(error.message);
        else {
          const because = error instanceof Refusal ? error.message : 'the server cannot be reached';
          notices.show(what, `${failures[what]}: ${because.replace(/\.$/, '')}.`, action);
        }
      },
    }),
    [notices],
  );
}
