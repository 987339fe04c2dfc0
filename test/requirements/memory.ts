import type { Promises } from './promises.ts';

export const memory: Promises = {
  'memory.fusion':
    'Rankings by words, words alike and meaning are fused by reciprocal rank; what is new counts more.',
  'memory.search':
    'Search finds misspelt, inflected and accented words in any language, alike over every store.',
  'memory.vectors':
    'What means the same is found without a common word, with pgvector and without it, also while vectors lag.',
  'memory.centres':
    'Without pgvector a search compares only what stands around the centres nearest to it, and erasure keeps none of them.',
  'memory.vector-index':
    'With pgvector its index finds every vector, of forks and of vectors from before it was installed, too.',
  'memory.embedder': 'Texts are embedded over the wire of OpenAI, at whatever base URL.',
  'memory.projection':
    'Vectors are made beside the log, in bounded batches, by one process at a time, and go on where they were.',
  'memory.erasure': 'What is erased is found no more, nor are its words and vectors kept.',
  'memory.when':
    'Dates and relative words mean an instant in UTC, seen from the time of the round.',
  'memory.overview': 'Memory without a query is an overview of the turns before.',
  'memory.modes':
    'Turns are found by their place and by time, in the scope of a conversation, a user, an agent.',
  'memory.recovery':
    'Every path that memory names is read: of this conversation, of others of the user, and of nobody else.',
  'live.ticks':
    'Deltas of one moment become one frame, the same for every client, and frames of many conversations travel together.',
  'live.read-from':
    'The frames of earlier turns are not read again for a client that follows the open one.',
  'live.shared':
    'Clients that follow the same conversation share the envelope and the packet of each frame.',
  'live.bench': 'The live path is measured beside a bare server that reads the same model.',
  'memory.bench':
    'Search over many snippets finds what an exact one finds, and its cost is measured.',
  'sources.one-address': 'Two spellings of one web address are one source.',
  'sources.unresolved-reported':
    'The model reads that it cited a source that does not exist; users do not see the citation.',
  'sources.sidecar':
    'What a structured output cites stands beside it, by JSON pointers to its strings.',
  'sources.skills':
    'The sources of a skill join the pool when it is read, and its citations take their numbers.',
  'memory.facts':
    'A long-term memory keeps facts by user, agent or tenant, finds those that suit a question, and records each recording once.',
  'memory.faults':
    'A memory server that fails, is silent or answers something else is a typed fault in time; what changes nothing twice is asked again.',
  'memory.forget':
    'A user sees every fact that their conversations have left, and can remove one, those of a conversation, or all.',
  'memory.recall':
    'Facts from other conversations are in the prompt as the agent says, and a forgotten one is in no later prompt.',
  'memory.recording':
    'Each turn of such an agent is recorded once after its end, however it ended and whatever was killed in between.',
  'memory.erasure-facts': 'The facts that a conversation has left are erased with it.',
};
