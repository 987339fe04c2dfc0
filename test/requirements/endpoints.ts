import type { Promises } from './promises.ts';

export const endpoints: Promises = {
  'endpoints.projections':
    'The stream of a conversation shows its turn in the words of another protocol, from its start to its end.',
  'endpoints.resume':
    'A client of a protocol with ids that comes back after any event gets what an unbroken stream would have sent.',
  'endpoints.errors':
    'An error before and after authentication is sent in the shape of the protocol that was used.',
  'endpoints.agents':
    'Every endpoint names an agent as bundle/agent, or as the agent of the default bundle.',
  'endpoints.fim': 'FIM One clients get each event of their protocol with its fields.',
};
