import type { Promises } from './promises.ts';

export const timeline: Promises = {
  'i1.view-is-a-fold':
    'A view is the fold of the log: folding a prefix and then the rest is folding all.',
  'i1.prompt-again': 'A past prompt can be made again from the log, byte for byte.',
  'i5.prefix':
    'A prompt extends the one before it byte for byte up to its tail checkpoint, unless a block declares a break.',
  'i5.declared':
    'Every intended change above the tail is declared on the log with its cause: views, catalogue, instruction, model, renderer, form.',
  'prompt.own-replies':
    'In message form, the model reads its own earlier replies in the form in which it must write, and everything else as messages of the user.',
  'prompt.form-choice':
    'An agent or the profile of its model chooses the form of a prompt; each round records it, and a change is a declared break.',
  'prompt.provider-legal':
    'A prompt in message form satisfies the rules of the providers: roles, pairs of calls and results, ids, order, reasoning.',
  'prompt.carry':
    'Reasoning that a provider wants back goes to models of its family only, before its reply, and never alone.',
  'timeline.total-fold':
    'Every block applies to every view; one of an unknown type changes nothing.',
  'timeline.checkpoints':
    'A prompt has at most three cache marks by rounds, none of them in SOURCES or ANNOUNCE.',
  'timeline.sources-once':
    'A source appears once, where it was found; the tail of a prompt lists it again only when that place is out of sight.',
  'timeline.context-fill': 'From half of its context on, the model reads how full it is.',
  'timeline.announce':
    'ANNOUNCE tells budget, time, open plans and live events, and nothing above it does.',
  'timeline.plans':
    'A plan is opened, acknowledged in notes, replaced and closed, and each state is a block.',
  'timeline.sources': 'The same address is the same source and keeps its number.',
  'timeline.summaries': 'The working summary of a turn is kept and found again in a later turn.',
  'timeline.paths': 'Every path that a block names resolves.',
  'paths.both-spellings':
    'A path with short names and the stored path lead to the same thing, wherever a path is accepted.',
  'paths.names-stay':
    'The short names of turns and calls follow from the log and never change, through compactions and forks.',
  'paths.short-in-prompts':
    'A prompt spells every path with short names, and each of them resolves.',
  'paths.share': 'Paths take at most 8 % of the tokens of a long timeline.',
  'timeline.no-forged-headings':
    'No fact and no body of any block makes a line that reads as one of the headings of the runtime.',
  'paths.program-folders':
    'Programs find files of an earlier turn in the folder with its short name; contracts may name a turn by either name.',
  'timeline.render-at':
    'The prompt of any past round is made again, whatever was hidden or pruned since.',
  'timeline.replay':
    'A recorded log gives the same prompts and the same blocks again; the first difference is named by block and field.',
  'timeline.verify-blobs': 'A check of a log reads the bytes behind every hash that it names.',
  'timeline.unhide':
    'What was hidden and then read is shown in its place again when the cache is cold, not before.',
  'timeline.prune-cold':
    'A prompt is pruned only when the provider has nothing of it in its cache: by its reports first, by the clock else.',
  'timeline.prune-turn':
    'An old turn appears as its summary, or as its state and rows that can be read again; notes and events stay.',
  'timeline.prune-light':
    'A turn that is recent but not intact loses only what is found again, and images beyond the newest.',
  'timeline.prune-worth':
    'A prune that saves too little is not written, and a cold moment is used once.',
  'cache.cost':
    'A conversation costs at least a quarter less input than a transcript with one rolling cache mark.',
  'cache.hit-rate':
    'A long conversation reads 97 % of its steady input from a cache, and 90 % of all of it, pauses, prunes and compactions included.',
  'ledger.printed':
    'timeloom timeline cache prints why tokens were not read from a cache, with causes, blocks and sums.',
  'ledger.what-if': 'What an edit would cost is said before it is made, and is what it then costs.',
  'ledger.explained':
    'Every token that no cache had is explained by a cause and a block; an undeclared break is reported as such.',
  'ledger.sums':
    'The tokens that no cache had are attributed to causes whose sums are what the provider reported.',
  'timeline.look-back':
    'However many parts a turn or a round adds, what the request before wrote is found within a look-back of 20 parts.',
  'timeline.no-encoded-bytes':
    'Runs of encoded bytes are left out of results and of prompts, bare or wrapped in lines.',
  'timeline.stories':
    'Thousands of generated rounds break no prefix without a word, pair every call, name no path that leads nowhere, and give the same bytes again.',
  'context.conversations-open':
    'A bundle opens a conversation, durable before it knows; the same key is the same one.',
  'context.events-send':
    'An event of a bundle is checked, durable before it resolves, taken once, and opens or joins a turn like any.',
  'context.post-in-tools': 'Tools open conversations and send events too.',
  'paths.resource-names':
    'A file also has a name with its owner, `ef:…`, which is written for links and read wherever a path is; only its owner gets the file.',
};
