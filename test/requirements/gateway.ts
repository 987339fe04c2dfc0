import type { Promises } from './promises.ts';

export const gateway: Promises = {
  'wire.turn-id':
    'What belongs to no turn has an empty turn_id, in acknowledgements and in envelopes.',
  'socket.binary-parts':
    'A socket message may bring as many files as binary parts as a message may have, and more are refused with a reason.',
  'projects.separate':
    'A user of one tenant can read, list, follow, steer or name nothing of another, on any route, socket or file name.',
  'projects.tokens':
    'A token opens only the projects that it names and that are served; one that names no tenant opens the own project.',
  'projects.metrics': 'Counters of one project are for its operators; the sums name no tenant.',
  'projects.bundles':
    'Every project has its own bundles with their state, storage, secrets, props and jobs, and answers with them.',
  'wire.progress-once': 'A step of progress is on the wire once, live or by its block.',
  'http.wait-answer':
    'One request sends a message and gets the answer of its turn, or the error that ended it.',
  'files.ranges':
    'A download is resumed, and a video is sought, with ranges of bytes; a file that has changed is sent whole.',
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
  'gateway.duplicate-send': 'A message sent twice is acknowledged twice and accepted once.',
  'gateway.replay': 'A client that comes back with its cursor gets what it missed, once, in order.',
  'gateway.upgrades':
    'A request that offers another protocol than WebSocket is answered over HTTP/1.1, as clients expect that try HTTP/2 first.',
  'gateway.gone-clients':
    'A client that breaks off in the middle of its request leaves no error in the log.',
  'gateway.health': '/health asks the store and says how it is.',
  'gateway.cheap-to-refuse':
    'Nothing that a visitor sends keeps the event loop from everybody else for 100 milliseconds of processor time.',
  'gateway.anonymous-bytes':
    'A connection on which nobody has been identified brings a few kilobytes and is closed when it sends more.',
  'gateway.anonymous-connections':
    'Unauthenticated connections are limited in number: one too many closes the oldest of them.',
  'gateway.identity-before-body':
    'The body of a request is read only after its sender has been identified.',
  'gateway.own-pages':
    'Only pages of this server and of listed origins reach it, by no form, image or frame of others.',
  'operations.deliberate':
    'An operation for users answers no request that a page of another origin could have been made to send.',
  'gateway.one-read':
    'A client that comes back costs one read of the frames of its turn, whatever the conversation has had before.',
  'gateway.polls':
    'Followers find what the bus lost within ten seconds, with one query for all that began in the same second.',
  'gateway.no-lost-wake-up':
    'News of a conversation that arrive at any moment reach its followers without waiting for the next poll.',
  'gateway.failed-feed':
    'A subscription that fails for good tells its subscriber that it has ended; the subscriber can follow again.',
  'gateway.blocks-only':
    'Reopening a finished conversation sends its blocks, and none of the pieces they were streamed in.',
  'gateway.tail':
    'A client is sent the last turns of a conversation, and earlier ones on request, in the same envelopes.',
  'gateway.many-conversations':
    'On a socket finished conversations make room for new ones; without room a message is acknowledged as not subscribed.',
  'uploads.taken-twice': 'Two messages that name one upload at the same time both get its file.',
  'gateway.methods': 'An address asked with a method that it does not take says which it takes.',
  'gateway.attachments':
    'Attachments are checked by content and capped; what is refused leaves nothing.',
  'attachments.types':
    'The content of a file decides its type; a claim that contradicts it, and any unknown type, is refused.',
  'attachments.sizes': 'Each type of file has a size limit of its own, which operators can raise.',
  'attachments.pdf':
    'A PDF that is encrypted, truncated, active, too complex or too long is refused with its reason.',
  'attachments.packages':
    'An Office document is accepted by its package; macros, archives, bombs and remote parts are refused.',
  'attachments.verdict':
    'Every file is accepted as what it is or refused with a file name, a reason and what to do.',
  'attachments.pdf-text':
    'The text of an attached PDF is in the prompt, can be read by lines, and is found by a memory search.',
  'attachments.large':
    'Where operators allow it, a file of 1 GiB is uploaded in pieces, and programs read it, in bounded memory.',
  'attachments.isolated':
    'Checks run beside the event loop; one that takes too long or too much memory ends alone.',
  'client.approval': 'A question is an event and stands in the picture until it is decided.',
  'client.duplicate-ended':
    'A message sent again after its turn had ended gets the end of that turn.',
  'client.lost-frames':
    'Pieces of a stream that the bus lost are made up for when the stream is finished: concatenated deltas give the whole text.',
  'client.list':
    'A user finds conversations by title, id and state, pins them, and lists them page by page.',
  'client.story':
    'The state of a conversation in the client has all that is visible of its turns, in order and immutable, with messages that are on their way.',
  'client.desk':
    'A page of fifty lines of React shows tools, approvals, added messages, suggestions and errors.',
  'client.react':
    'A component that uses a conversation is drawn with every change of its picture, and acts in it.',
  'client.reopen':
    'A conversation that is open in a client is the same object for the same options, and refuses others with both values.',
  'client.turn':
    'A client sends, follows each channel, adds a followup, steers and receives the end.',
  'client.followed-again':
    'The client follows a conversation again after the server ended or refused it, and tells each event once.',
  'client.now':
    'A client that follows a conversation from now on keeps that place when its connection is lost before anything happened.',
  'client.typed':
    'A client that is typed from a bundle knows its operations and the tools that it performs: what does not fit does not compile.',
  'client.manage':
    'A client takes messages back, renames, forks and erases conversations, and lists feedback and bundles.',
  'client.deadline':
    'A message to a server that does not answer is rejected with SERVER_UNREACHABLE when its time is over.',
  'client.disposed':
    'Closing a client ends what iterates over its events, rejects what waits for a result, and leaves no rejection unhandled.',
  'client.earlier':
    'The client begins with the last turns of a conversation and loads the turns before them on request.',
  'attachments.mime':
    'A mime that is not type/subtype is refused, and a stored one never breaks the download of its file.',
  'web.page':
    'The web page shows thinking, a growing widget and a file to download, and can stop a turn.',
  'bad.socket-payload':
    'A malformed socket payload is refused with its place, and the socket goes on.',
  'bad.wrong-tenant': 'A client of another tenant is refused.',
  'bad.unknown-tool': 'An unknown tool is a result that the model can read.',
  'bad.broken-decision': 'A broken decision is a violation that the model reads.',
  'bad.code-without-exec':
    'Code without an action that runs it is a violation that the model reads.',
  'bad.oversized-attachment': 'An attachment over its cap is refused before it is read to its end.',
  'bad.data-dir': 'An unwritable data directory stops the start with its own fault.',
  'bad.port': 'A port in use stops the start with its own fault.',
  'bad.model-key': 'A missing key of the model stops the start with its own fault.',
};
