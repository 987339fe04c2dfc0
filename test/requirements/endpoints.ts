import type { Promises } from './promises.ts';

export const endpoints: Promises = {
  'endpoints.projections':
    'The stream of a conversation shows its turn in the words of another protocol, from its start to its end.',
  'endpoints.resume':
    'A client of a protocol with ids that comes back after any event gets what an unbroken stream would have sent.',
  'endpoints.unread-message':
    'A request whose message a turn ends without reading gets the answer of the next turn, in every protocol.',
  'endpoints.errors':
    'An error before and after authentication is sent in the shape of the protocol that was used.',
  'endpoints.citations':
    'A streamed answer with citations is written once, in every protocol, with links.',
  'endpoints.contract':
    'Every endpoint refuses the same requests with the same status and code, in its own shape: tokens, tenants, sizes, agents and ids.',
  'endpoints.at-work':
    'A client that arrives before the first token sees that a turn is at work, in every protocol.',
  'endpoints.agents':
    'Every endpoint names an agent as bundle/agent, or as the agent of the default bundle.',
  'endpoints.one-conversation':
    'The id of a chat or thread is the conversation id, and a repeated message gets its first answer again.',
  'endpoints.ai-sdk':
    'useChat of the AI SDK, unmodified, shows a turn with its tools, approvals, files and errors, and resumes it.',
  'endpoints.ag-ui':
    'Clients of AG-UI, unmodified, show a turn with its tools, interrupts, files and errors, and bring tools of their own.',
  'endpoints.copilotkit':
    'A page of CopilotKit, with its runtime, shows the answers of the turns of one conversation.',
  'endpoints.guides': 'The sample of each guide for clients talks to an agent.',
  'endpoints.guides-commands':
    'The commands and settings of the guides for clients reach a server as they are written.',
  'endpoints.guides-python':
    'The Python samples of the guides run with the official packages, and name addresses that the server has.',
  'endpoints.agentscope':
    'AgentScope clients get each message as a whole whenever it grows, and an end for each agent.',
  'endpoints.delegates':
    'An agent that works on a call appears on the stream of its caller, until its own end.',
  'endpoints.fuzzed':
    'Any request to an endpoint is answered with a stream or an error in the shape of its protocol.',
  'endpoints.proxy':
    'Behind a proxy that cuts every connection after a time, clients with cursors or keys get an unbroken turn.',
  'endpoints.watchers':
    'The same turn has the same answer for the watchers of every protocol, also when one of them steers it.',
  'endpoints.seven-watchers':
    'Seven watchers of one live turn see the same answer, calls, files and end, also after a steer, a killed worker or cut connections.',
  'endpoints.poll':
    'A client without server-sent events polls the frames of a turn, each once, and keeps its own place in them.',
  'endpoints.cumulative':
    'Protocols that repeat the whole text do so often enough to follow it, and with bytes in proportion to its length.',
  'endpoints.fim': 'FIM One clients get each event of their protocol with its fields.',
  'endpoints.langgraph':
    'The official client of LangGraph streams, waits for and cancels runs, and reads the state of threads; errors are { detail }.',
  'endpoints.langgraph-interrupt':
    'A turn that waits interrupts its run; a command with resume decides approvals and returns results.',
  'endpoints.langgraph-resume':
    'A client of LangGraph whose stream is cut goes on after its last event, without loss or repetition.',
  'endpoints.langgraph-files':
    'A file in a message of LangGraph is an attachment, in every form of content blocks; one without its content is refused.',
  'endpoints.langgraph-runs':
    'Runs of a thread have the status with which their turns ended or wait, and one stream follows all of them.',
  'endpoints.langgraph-erase':
    'A thread that is deleted leaves the lists of its user, and its facts are forgotten, before the answer.',
  'endpoints.langgraph-unsupported':
    'What clients of LangGraph ask for and the server does not have is refused with what to do instead.',
  'endpoints.langgraph-react':
    'A page with useStream streams, resumes an interrupt and goes on after a reload.',
  'endpoints.langgraph-fuzz':
    'Any request to the LangGraph API is answered, with an error in its shape if it is wrong.',
  'endpoints.a2a':
    'The official client of A2A reads the card of an agent, sends messages, streams, reads and cancels tasks; clients of 0.3 get their words.',
  'endpoints.a2a-list':
    'Clients of A2A list the tasks of a context; push notifications are refused with what to do instead.',
  'endpoints.a2a-input':
    'A task that waits requires input, and a message with its id decides an approval or returns a result.',
  'endpoints.a2a-fuzz':
    'Any request over A2A is answered in JSON-RPC, with a code of the protocol.',
};
