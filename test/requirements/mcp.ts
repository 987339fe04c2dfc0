import type { Promises } from './promises.ts';

export const mcp: Promises = {
  'mcp.disabled': 'A server that an operator leaves out is not reached, and nobody has its tools.',
  'mcp.programs-same':
    'A call of a server from a program has the limits, the codes and the journal of any other call.',
  'mcp.called': 'A tool of an MCP server is called like any other, over both protocols of today.',
  'mcp.declared':
    'Loading reports every problem with the MCP servers of a bundle at once, before it connects to any.',
  'mcp.required':
    'A server out of reach hides its tools with a notice; one that is required stops the load and is named.',
  'mcp.live':
    'Agents have what their servers offer at the moment, and are the same as long as that has not changed.',
  'mcp.one-session':
    'A server has one session for each set of credentials, and it ends with its last user.',
  'mcp.credentials':
    'When a server refuses credentials, its tools are hidden and the notice omits the values; valid credentials bring them back.',
  'mcp.secrets': 'A server that says our credentials back is not heard anywhere.',
  'mcp.permitted':
    'What a bundle does not allow of a server is neither offered nor called, whatever it is called.',
  'mcp.names':
    'Any name of a server gives an id that fits programs and providers, and leads back to it.',
  'mcp.words': 'Words of a server cannot pass for ours in the system text.',
  'mcp.bounded': 'What a server lists is bounded, whatever its schemas unfold to.',
  'mcp.checked': 'Arguments are checked against the schema of a server before they leave.',
  'mcp.keys':
    'A call carries our key where the server takes one, and is never repeated where it does not.',
  'mcp.files': 'Images and other bytes of a server become files of the call.',
  'mcp.failed': 'What a server calls an error is one.',
  'mcp.large': 'An answer beyond the limit ends its call and no other.',
  'mcp.in-doubt': 'A server that breaks off in the middle of a call leaves it in doubt.',
  'mcp.own-errors':
    'An error that a server answers, whatever its code, is the failure of the call and leaves nothing in doubt.',
  'mcp.idle': 'A session that nobody uses is closed, and opened again by the next call.',
  'mcp.back': 'A server that goes away comes back on its own, and its session with it.',
  'mcp.no-flapping': 'Tools that vanish for a moment stay in the catalogue.',
  'mcp.list-changed': 'A server that says its tools have changed is asked again.',
  'mcp.catalogue-break':
    'A changed catalogue is seen by the next round, as a declared break of the cache.',
  'mcp.notice':
    'The model reads that a server is unreachable, and nothing above the tail of its prompt changes.',
  'mcp.cancelled': 'A call that is stopped is cancelled at the server.',
  'mcp.steered': 'A steer cancels the call that runs at a server.',
  'mcp.turn':
    'A model calls the tools of a server in a turn; credentials are in no prompt and no block.',
  'mcp.programs':
    'Generated code in both languages calls the tools of a server that its agent sees, and no other.',
  'mcp.child': 'A server that is a child knows nothing of our environment but PATH.',
  'mcp.child-ends': 'A server that is a child ends with its bundle, and its children with it.',
  'mcp.child-died': 'A server that is a child and dies is started again.',
  'direct.call':
    'A turn that is opened with a call makes it without a model; the log is legal, and messages that arrive get a turn of their own.',
  'mcp.expose':
    'A bundle exposes tools, agents, skills and knowledge to MCP clients; a definition that cannot work stops the load.',
  'mcp-server':
    'The official client lists the tools, prompts and resources of an endpoint, with the protocol of 2025 and that of 2026.',
  'mcp-server-prompts':
    'A client fills in the arguments of a prompt; one that is missing or unknown is refused by name.',
  'mcp-server-prompt-files':
    'A prompt brings the small files, pages and images that its text names, and links to larger ones; only files that its client may read.',
  'mcp-server-completion':
    'A client completes arguments of prompts and paths of resources, up to 100 values at once.',
  'mcp-server-turn':
    'A call of an MCP client is a turn on the log of its session, and only its own user has the session.',
  'mcp-server-agent':
    'An exposed agent is a tool whose first text argument is the prompt; later calls continue the conversation.',
  'mcp-server-files': 'Files that a call produces are resources, which only their user reads.',
  'mcp-server-resume':
    'A call survives a cut connection: the client goes on after the last event and gets one result.',
  'mcp-server-approval':
    'A client that can ask its user decides the approvals of its calls, with the protocol of 2025 and that of 2026.',
  'mcp-server-session':
    'A client ends its session, and learns on the stream of a session that lists have changed.',
  'mcp-server-subscriptions':
    'A client subscribes to resources, with the protocol of 2025 and that of 2026, and learns that they have changed.',
  'mcp-server-logging':
    'A client chooses the level of the log messages that it gets while its calls work.',
  'mcp-server-conformance':
    'An endpoint passes the conformance suite of MCP except for what servers may leave out, and answers the Inspector.',
  'mcp-server-access':
    'Without a token an endpoint answers 401 with WWW-Authenticate; a wrong role or a page of another origin is 403.',
  'mcp-server-sign-in':
    'A client finds the authorization server of an endpoint in its metadata (RFC 9728), and works with a token from there.',
  'mcp-server-audience':
    'A token whose audience is the address of an MCP endpoint is refused by every other address of the server.',
  'mcp-server-public':
    'A public endpoint answers callers that its bundle verifies, and sessions share nothing.',
  'mcp-server-fuzz':
    'Any bytes that are posted to an endpoint are answered with a JSON-RPC message or nothing, and never with a server error.',
};
