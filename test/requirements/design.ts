import type { Promises } from './promises.ts';

export const ofTheDesign: Promises = {
  'design 3': {
    'i1.view-is-a-fold':
      'A view is the fold of the log: folding a prefix and then the rest is folding all.',
    'i1.prompt-again': 'A past prompt can be made again from the log, byte for byte.',
    'i2.one-writer': 'A stale owner cannot write, renew or release: every write carries the fence.',
    'i2.no-late-effects':
      'An owner starts no effect once its lease may have ended, whatever the store still thinks.',
    'i3.durable-first': 'What a client was told is accepted is still there after a kill -9.',
    'i3.gate': 'A turn does not close while a reactive event waits that it has not seen.',
    'i3.effects-honest':
      'An effect nobody can repeat starts at most once, and is reported in doubt if its outcome is unknown.',
    'i4.pairs':
      'Every tool call has exactly one result on every path, and every turn exactly one end.',
    'i5.prefix':
      'A prompt extends the one before it byte for byte up to its tail checkpoint, unless a block declares a break.',
    'i5.declared':
      'Every intended change above the tail is declared on the log with its cause: views, catalogue, instruction, model, renderer.',
    'i6.no-sockets': 'Generated code cannot make a socket and reaches no network.',
    'i6.nobody-outside':
      'A program in the process sandbox is not uid 0 outside, holds no capability and cannot gain one.',
    'i6.no-secrets':
      'A program sees no secret, no environment and no source of the runtime or of a bundle.',
    'i6.granted-only': 'A program may call the tools granted to its execution and no other.',
    'i6.not-believed':
      'Outcome and files of a program come from the host, never from what the program says.',
    'i6.limits': 'A program is cut at its limits of time, memory, processes and files.',
    'i6.own-files-only':
      'A file leaves the sandbox only if it is a regular file of the program beneath its output folder.',
  },
  'design 7': {
    'channels.digits':
      'A decision with a number that would be read as another is refused with its place; it is to be written as text.',
  },
  'design 8': {
    'sdk.sandbox-loads':
      'A script that no sandbox could run stops the load of its bundle; one that can runs as it was then.',
    'sdk.sandbox-runs':
      'A script of a bundle runs as a program without tools: INPUT in, RESULT out, in both languages, wherever its bundle runs and whoever calls.',
    'delegate.answers':
      'A tool may be a sub-agent: it works in a conversation of its own, and its answer, sources and cost are those of the call.',
    'delegate.typed': 'A delegating tool with an output returns that of its agent, checked.',
    'delegate.fails':
      'An agent that fails, is stopped or has nothing left is a result with a code.',
    'delegate.depth': 'What was delegated is not delegated further, and the refusal says so.',
    'delegate.budget':
      'A sub-agent has no more rounds than its tool says, and no more of a budget than the turn that asks has left.',
    'delegate.stop': 'Who stops a turn stops the agents that work for it.',
    'delegate.crash':
      'Whenever a process dies, a delegated call has one conversation and one result.',
    'delegate.load':
      'A tool that delegates to nobody stops the load, with the nearest agent there is.',
    'sdk.files-host':
      'A tool gets a link to a file that leads the user of its conversation there, and nobody else.',
    'sdk.sandbox-traces':
      'A script that fails is told by its own name and lines, with nothing of what stands around it.',
    'tools.unknown-parameter':
      'A parameter that a tool does not know is refused by its name, with the nearest known one, whoever calls.',
    'tools.digits':
      'An integer in the result of an MCP server that cannot be read exactly comes as text, or the result is an error.',
  },
  'design 11: feedback': {
    'feedback.durable':
      'Feedback is a block of the log, found by its user, conversation and time in every store.',
    'feedback.newest-counts':
      'Of what a user says of a turn the newest word counts, and null takes it back.',
    'feedback.told-once':
      'Feedback stands in ANNOUNCE of the next turn, from its first round to its last, and in no later one.',
    'feedback.prefix': 'Feedback changes no byte of a prompt above ANNOUNCE, and opens no turn.',
    'feedback.over-http':
      'A user gives, changes, clears and lists feedback on their own turns over HTTP, and clients that follow the conversation are told.',
  },
  'design 11: HTTP': {
    'uploads.resumed':
      'An upload whose connection is cut goes on from the bytes that came, whatever order and overlap they came in.',
    'uploads.restart': 'Another process over the same store goes on with an upload.',
    'uploads.private': "Somebody else's upload is not there.",
    'uploads.limits': 'A file that would not be taken is refused before its bytes are sent.',
    'uploads.checked': 'A whole upload is held to its digest and to what an attachment may be.',
    'uploads.expire': 'What is not finished within its time leaves nothing.',
    'uploads.tus': 'Clients of tus 1.0 upload as they are.',
    'uploads.client':
      "The client's large attachments outlive lost connections, and tell how far they are.",
    'api.generated':
      'OpenAPI is made from the routes and the schemas that they parse with: a route that it does not tell of fails the build.',
    'api.valid': 'The OpenAPI documents are valid, by a validator that is not ours.',
    'api.answers': 'What the server answers, yes or no, fits what its OpenAPI document says of it.',
    'api.bundles':
      "A bundle's operations have an OpenAPI document of their own, with the schemas of its author.",
  },
  'design 6: erasure': {
    'erase.at-once':
      'An erased conversation is gone for every reader when its erasure is answered.',
    'erase.fence': 'The owner of an erased conversation has lost it.',
    'erase.tombstone': 'Nothing is said in an erased conversation, and its id is never used again.',
    'erase.forks':
      'Forks keep what they share with an erased conversation until the last is erased.',
    'erase.blobs':
      'Bytes of an erased conversation are loose when nobody of the tenant names them.',
    'erase.race': 'Of writers that race with an erasure none leaves anything behind.',
    'erase.frames': 'Buffered frames of a conversation can be dropped.',
    'erase.http': 'DELETE answers the same again; whatever names the conversation is not found.',
    'erase.told': 'Whoever follows an erased conversation is told, once, and nothing more comes.',
    'erase.outbox':
      'What an erased conversation leaves behind is removed, whoever dies while it is.',
    'erase.stops': 'The work on a conversation that is erased stops at once.',
    'blobs.remove': 'Bytes are removed for their tenant, unless they were put since a named time.',
  },
  'design 2: ks: paths': {
    'sdk.knowledge':
      'Pages of a bundle are found by words and read under ks:, and nothing outside what the bundle shows is a page.',
  },
  'design 10': {
    'topology.servers':
      'The same program runs on Postgres and Redis, and a client of one server sees what another works on.',
  },
};
