import type { Promises } from './promises.ts';

export const models: Promises = {
  'models.priced':
    'A budget in US dollars with a model whose price nobody states stops the load and says where to state it.',
  'models.choices':
    'Users choose the model of a turn out of those that its agent lists, and no other; a choice without a price or key stops the load like any model.',
  'models.settings':
    'A model takes settings of its own (prices, window, output, sampling, headers, body); one it cannot take is refused.',
  'channels.digits':
    'A decision with a number that would be read as another is refused with its place; it is to be written as text.',
  'scanner.any-cut': 'Any cut of a text gives the same events as the whole.',
  'scanner.linear': 'The work of the scanner grows with the length of the output, not faster.',
  'scanner.no-hold-back': 'Only what may become a tag is held back.',
  'scanner.quoted-tags':
    'A channel opened with an id closes only by that id, so generated code may contain any text.',
  'channels.decision':
    'A decision is read as it streams, mended where harmless and refused with its place where not.',
  'channels.one-parse':
    'A decision is read once: the fields that stream live are the value that is carried out.',
  'channels.instances': 'A channel may be opened again and again; every instance is numbered.',
  'channels.citations': 'Citations become links while the answer streams.',
  'protocol.same-blocks': 'The same script gives the same blocks in every protocol.',
  'protocol.same-frames':
    'People see the same text while a reply streams, in every protocol and however it is split.',
  'protocol.choice':
    'The protocol of a round is the option of the agent, else the preference of the model, else what it supports, and is on round.open.',
  'protocol.weak-models':
    'Whatever a model writes, in every protocol, each turn ends exactly once with a text for people.',
  'protocol.interrupted':
    'A steer or a crash at any character of a reply leaves a legal history, in every protocol.',
  'protocol.fallback':
    'After repeated violations the next protocol that the model supports is used, with a notice and a declared cache break.',
  'protocol.offer':
    'Tools that are offered beside the text are hashed and counted like text, and a past request can be rebuilt with them.',
  'protocol.names':
    'Names on the wire have at most 64 characters and are unique; two tools with one name stop the load.',
  'reply.protocol-cut': 'Any cut of the pieces of a reply gives the same reply, in every protocol.',
  'reply.native-answer':
    'Beside native tool calling, text without a call is the answer; with a call it is a remark, even after it began to stream.',
  'reply.native-returns':
    'With native tools, a tool that says what it returns says so in its definition, for programs that call it.',
  'reply.native-calls':
    'A native call is a decision: its program streams as code, and incomplete arguments are not carried out.',
  'reply.object': 'A decision object has fields for what other protocols write in channels.',
  'replay.piece-log':
    'Replies that are not plain text are stored as a log of pieces that does not depend on packets and can be read again.',
  'models.contract':
    'Every model says its text in pieces and ends with exactly one done, or throws.',
  'models.cache-marks': 'The checkpoints of a prompt become the cache marks of the provider.',
  'models.base-urls': 'Each provider is reached at the address that the configuration gives.',
  'models.wire':
    'The adapters read the streaming wire of the providers, however its bytes are torn.',
  'models.connection':
    'A connection to a provider is used again after a streamed reply, also if the end of the response comes after its last event.',
  'models.offer':
    'Tools, the choice among them and the restriction to JSON are sent in the words of each provider.',
  'models.call-deltas':
    'The deltas of tool calls become whole calls in order, whatever indexes, ids and names a server sends.',
  'models.not-streamed':
    'An endpoint that answers with JSON in place of a stream is named as such, with what to do, or with the error that the JSON holds.',
  'models.servers':
    'Servers that differ from the provider whose API they copy are understood: their errors, their reasoning, and what they reject.',
  'models.known-abilities':
    'A model that is known to support less than the others of its provider has its own abilities.',
  'models.fallback':
    'While a model is overloaded, unreachable or silent, its fallback answers; the model that answered is recorded and charged at its price.',
  'models.provider-errors':
    "The provider's own text of an error reaches developers, in their chat and in the log, and never a user.",
  'models.probe':
    'Doctor asks a model for a text, a tool call and a JSON reply, and prints its abilities as settings.',
  'small.window':
    'An agent with a window of 8,000 tokens stays within it: a short system text, fewer tools, one action and short replies.',
  'models.fallback-logged':
    'The log says when a fallback begins to answer, with the model that failed and why; model.call names that model.',
  'models.recorded-streams':
    'Streams in the form of four wires, with what servers were seen to send, give the same events however their bytes are torn.',
  'models.whole-turns': 'A whole turn with a tool call runs through the wire of each provider.',
  'models.messages':
    'A prompt as messages becomes the messages of each provider: calls with their results, alternating roles.',
  'models.carry':
    'Reasoning that a provider wants back is kept as it came and goes back only to that provider.',
  'models.packages':
    'Other providers are reached through optional packages; a missing one is named with the command that installs it.',
  'models.abilities': 'What a model supports on the wire is known, or stated in its settings.',
  'models.scripts': 'A script plays its replies in their order, and refuses to guess.',
  'models.structured':
    'A structured answer is requested by a forced tool, as JSON, then as text, in at most 1 + 2 + 2 paid requests; the level that worked is reported.',
};
