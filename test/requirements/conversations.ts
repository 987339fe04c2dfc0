import type { Promises } from './promises.ts';

export const conversations: Promises = {
  'conversations.own-ids':
    'The id of a conversation is unique to its user: it neither reveals nor blocks what another user calls the same.',
  'conversations.own-values':
    'What a bundle keeps for a conversation is found under the id of its user alone, also what was kept before ids were.',
  'feedback.durable':
    'Feedback is a block of the log, found by its user, conversation and time in every store.',
  'feedback.origin':
    'Feedback from a client is always the word of its user; one that claims another origin is refused.',
  'feedback.newest-counts':
    'Of what a user says of a turn the newest word counts, and null takes it back.',
  'feedback.machine':
    'A bundle gives feedback on a turn from tools, hooks, operations and jobs; it stands beside that of the user, and the model reads which check gave it.',
  'feedback.satisfaction':
    'Operators read how satisfied users are with each agent in a period: the share of ok, with checks counted beside it.',
  'retention.rules':
    'Conversations that are idle for longer than the rule of their bundle, or of the installation, are erased; all others stay.',
  'retention.idle': 'Idle conversations are found across users, the longest idle first.',
  'feedback.shown-once':
    'Feedback stands in ANNOUNCE of the next turn, from its first round to its last, and in no later one.',
  'feedback.prefix':
    'Feedback changes no byte of a prompt above ANNOUNCE while it may be cached, and opens no turn.',
  'feedback.folded':
    'Once the cache is cold, feedback stands at the end of the turn that it is about, for all later prompts.',
  'feedback.over-http':
    'A user gives, changes, clears and lists feedback on their own turns over HTTP, and clients that follow the conversation are notified.',
  'erase.at-once': 'An erased conversation is gone for every reader when its erasure is answered.',
  'erase.fence': 'The owner of an erased conversation has lost it.',
  'erase.tombstone': 'Nothing is said in an erased conversation, and its id is never used again.',
  'erase.forks': 'Forks keep what they share with an erased conversation until the last is erased.',
  'erase.blobs': 'Bytes of an erased conversation are loose when nobody of the tenant names them.',
  'erase.race': 'Of writers that race with an erasure none leaves anything behind.',
  'erase.frames': 'Buffered frames of a conversation can be dropped.',
  'erase.http': 'DELETE answers the same again; whatever names the conversation is not found.',
  'erase.notice':
    'Clients that follow an erased conversation are notified once, and receive nothing after that.',
  'erase.outbox':
    'Everything an erased conversation leaves behind is removed, even if a process dies while it happens.',
  'erase.user-outbox':
    'The erasure of a user includes what exists at its request, and stays due until it is settled.',
  'erase.user-values':
    'What a user has stored in bundles, and their uploads, are removed without those of others.',
  'erase.user':
    'A user, or an operator, erases all that one user has: it is gone when it is answered, or soon, also if a process dies.',
  'erase.stops': 'The work on a conversation that is erased stops at once.',
  'fork.shared':
    'A fork has the log up to its point, and neither side sees what the other writes later.',
  'fork.open-turn': 'A turn that is open at the point of a fork is closed on either side, once.',
  'fork.found':
    'A fork is searched with what it shares, and with nothing that was said elsewhere later.',
  'fork.own-only': 'Only a conversation of the same user is forked, at a block that it has.',
};
