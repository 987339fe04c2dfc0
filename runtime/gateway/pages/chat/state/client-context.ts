import { createContext, useContext } from 'react';
import type { Client } from '../../../../client/index.ts';

const Context = createContext<Client | undefined>(undefined);
export const ClientProvider = Context.Provider;

export function useClient(): Client {
  const client = useContext(Context);
  if (!client) throw new Error('a view is outside its page');
  return client;
}
