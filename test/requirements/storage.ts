import type { Promises } from './promises.ts';

export const storage: Promises = {
  'blobs.typed-faults':
    'What a disk or a service refuses a blob store is a typed fault that may pass, never a raw error.',
  'blobs.ranges': 'A range of a blob is read without the rest of it, whatever store it is in.',
  'blobs.list': 'The blobs of a tenant are listed page by page, by the time of their last put.',
  'blobs.users': 'A blob store knows the installations that use it.',
  'blobs.unnamed':
    'The log says which blobs no conversation refers to, also those that only a fork still shares.',
  'blobs.orphans':
    'Bytes that nothing refers to are removed after two days, page by page; none that a row refers to, or that was put again, is.',
  'blobs.shared-store': 'Nothing is removed from a blob store that several installations use.',
  'blobs.remove': 'Bytes are removed for their tenant, unless they were put since a named time.',
  'store.fenced-append': 'An append with a lower fence than the row holds writes nothing.',
  'store.append-reply':
    'The reply to an append contains the blocks that its owner has not seen, exactly as a read returns them.',
  'store.one-call-per-message':
    'The reply to an accepted message says what its acknowledgement needs, so that a message costs one write.',
  'bus.one-call-per-message':
    'An accepted message makes one call to the bus: its head, its wake and its steer are sent together.',
  'store.append-once': 'The same append again gets the first answer and writes nothing.',
  'store.conditional-close': 'A close behind the gate is held back while a newer event waits.',
  'store.accept-once': 'The same message again is a duplicate; with another body it is a conflict.',
  'store.one-prompt-a-turn':
    'Of prompts that race into one turn one is its prompt; the others join it as followups.',
  'store.window': 'A reader starts at the window that the owner named last.',
  'store.clock': 'Times of a log never go back, whatever the clock does.',
  'store.read-by-index': 'A page of a log, or the block of a path, is read by an index alone.',
  'store.parked': 'A parked turn is looked at when it is due or an event arrives, not before.',
  'store.hand-over': 'A lease handed over is due at once and is not counted as a take-over.',
  'store.heads':
    'How far many conversations have come is one query, without those that are erased.',
  'store.as-written':
    'Text and data come back as they were written, NUL and lone surrogates made well-formed first.',
  'store.migrations': 'Numbered migrations make the golden schema, once, in both databases.',
  'store.database-image':
    'A new embedded database is unpacked from the files that the build made, whole or not at all.',
  'store.prepared':
    'Statements of the timeline are parsed once by a connection, also behind a pooler that changes connections.',
  'store.urgent-renewals':
    'Leases are renewed on time while other statements fill the connections, or a writer holds the row of one of them.',
  'store.functions':
    'Every SQL function has a file; a database has the functions of the newest files that a program applied to it.',
  'store.migration-lock':
    'A migration that another session keeps from its lock gives up in time, and names the session.',
  'limits.bytes':
    'A stream that is read into memory has a limit in bytes; of a longer one the rest is not read.',
  'blobs.contract':
    'Bytes are named by their hash, are durable when put resolves, and are verified when read.',
  'storage.durable': 'What a bundle keeps outlives the process that it was kept in.',
  'storage.shared':
    'Every process on the same database reads the same values: operations of a gateway and tools of a worker too.',
  'storage.apart': 'Values of bundles, people and conversations never meet those of others.',
  'storage.ttl': 'A value whose time is over is found no more, and is removed in passing.',
  'storage.limits':
    'The number of keys of a scope is limited, even when many writers add keys at once.',
  'storage.paused-holder':
    'A process that was paused while another one took its data directory over writes nothing more, and ends.',
  'storage.private-data': 'Only its owner can enter the data directory.',
};
