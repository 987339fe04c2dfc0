import type { Promises } from './promises.ts';

export const ofIssue3: Promises = {
  'issue 3.1': {
    'timeline.render-at':
      'The prompt of any past round is made again, whatever was hidden or pruned since.',
    'cli.through-server':
      'A command that finds its data directory held by a server looks at the timeline through that server.',
    'timeline.replay':
      'A recorded log gives the same prompts and the same blocks again; the first difference is named by block and field.',
    'timeline.verify-blobs': 'A check of a log reads the bytes behind every hash that it names.',
    'timeline.unhide':
      'What was hidden and then read is shown in its place again when the cache is cold, not before.',
  },
  'issue 3.2': {
    'timeline.prune-cold':
      'A prompt is pruned only when the provider has nothing of it in its cache: by its reports first, by the clock else.',
    'timeline.prune-turn':
      'An old turn is told by its summary, or by its state and rows that can be read again; notes and events stay.',
    'timeline.prune-light':
      'A turn that is recent but not intact loses only what is found again, and images beyond the newest.',
    'timeline.prune-worth':
      'A prune that saves too little is not written, and a cold moment is used once.',
  },
  'issue 3.3': {
    'compact.lowers':
      'A compaction makes the prompt strictly smaller, or changes nothing and says why.',
    'compact.window':
      'A reader who begins at the window knows what one who read the whole log knows.',
    'compact.pairs': 'A compaction never comes between a call and its result.',
    'compact.refs': 'Every path that a memory names leads somewhere.',
    'compact.events': 'No event of a compacted turn is swallowed.',
    'compact.files':
      'What was made to keep stays named in a memory, however little room there is for it.',
    'compact.skills': 'A memory names the skills that were read, and how to have them again.',
    'compact.notes':
      'A summary model is told which notes stand in the memory word for word, so that no rule is told twice.',
    'compact.plans':
      'A compaction names the open plans that the board has no room for; of what is over, nothing stands as if it were open.',
    'compact.more':
      'A list of a memory that was shortened says how many more there are, and where.',
    'compact.same-bytes': 'The same log gives the same memory, byte for byte.',
    'compact.for-ever': 'A conversation goes on within its limit, compaction after compaction.',
    'compact.overflow':
      'A prompt that the provider finds too large is compacted and asked again, once.',
    'compact.extract':
      'A summary model that fails, or says too little or too much, is done without.',
    'compact.usage': 'What a summary costs is on the budget of its turn.',
    'compact.goes-on': 'Events are taken in while a summary is made, and the next round sees them.',
    'compact.steer': 'A steer stops the summary that is being made, and the work goes on.',
    'compact.recovery': 'A compaction whose owner was lost is ended and made again.',
    'compact.reading': 'Everything in a turn that was compacted is read as before.',
    'compact.state':
      'Plans, sources, hides, pulls and standing permissions go on over a compaction.',
    'compact.needles':
      'After many compactions what is pinned is in the prompt, and 99 of 100 other facts are at most two reads away.',
    'compact.stopped': 'A turn that a stop ended goes as any other: nobody has to read the stop.',
    'compact.programs':
      'Who sums up half a turn reads how its programs began, and where the whole of each is.',
    'compact.mid-turn': 'A turn that outgrows its prompt goes on from a ledger of its own rounds.',
  },
  'issue 3.4': {
    'cache.cost':
      'A conversation costs at least a quarter less input than a transcript with one rolling cache mark.',
    'cache.hit-rate':
      'A long conversation reads 97 % of its steady input from a cache, and 90 % of all of it, pauses, prunes and compactions included.',
    'ledger.printed':
      'timeloom timeline cache prints why tokens were not read from a cache, with causes, blocks and sums.',
    'ledger.what-if':
      'What an edit would cost is said before it is made, and is what it then costs.',
    'ledger.explained':
      'Every token that no cache had is explained by a cause and a block; an undeclared break is told as such.',
    'ledger.sums':
      'The tokens that no cache had are attributed to causes whose sums are what the provider reported.',
    'timeline.look-back':
      'However many parts a turn or a round adds, what the request before wrote is found within a look-back of 20 parts.',
  },
  'issue 3.6': {
    'timeline.no-encoded-bytes':
      'Runs of encoded bytes are left out of results and of prompts, bare or wrapped in lines.',
    'tools.read-attaches':
      'An image or a PDF that react.read reads stands in the prompt whole, or a line says why not.',
    'tools.diff-round-trip': 'The diff of two texts, applied to the one, gives the other.',
    'tools.mistakes-recoverable':
      'Whatever a control tool is given, it answers with one result, and the turn goes on.',
    'tools.ref-binding':
      'A parameter that is wholly ref:<path> is bound to what the model can see there, and to nothing else.',
    'tools.result-room':
      'The results of a turn that stand in its prompt have a limit together; beyond it each shows its beginning.',
    'tools.rg-linear': 'A pattern that a model wrote takes time linear in what it searches.',
  },
  'issue 3.7': {
    'memory.fusion':
      'Rankings by words, words alike and meaning are fused by reciprocal rank; what is new counts more.',
    'memory.search':
      'Search finds misspelt, inflected and accented words in any language, alike over every store.',
    'memory.vectors':
      'What means the same is found without a common word, with pgvector and without it, also while vectors lag.',
    'memory.centres':
      'Without pgvector a search compares only what stands around the centres nearest to it, and erasure keeps none of them.',
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
    'memory.bench':
      'Search over many snippets finds what an exact one finds, and its cost is measured.',
  },
  'issue 3.8': {
    'sources.one-address': 'Two spellings of one web address are one source.',
    'sources.unresolved-told':
      'A citation of a source that does not exist is told to the model and shown to nobody.',
    'sources.sidecar':
      'What a structured output cites stands beside it, by JSON pointers to its strings.',
    'sources.skills':
      'The sources of a skill join the pool when it is read, and its citations take their numbers.',
  },
  'issue 3.9': {
    'fork.shared':
      'A fork has the log up to its point, and neither side sees what the other writes later.',
    'fork.open-turn': 'A turn that is open at the point of a fork is closed on either side, once.',
    'fork.found':
      'A fork is searched with what it shares, and with nothing that was said elsewhere later.',
    'fork.own-only': 'Only a conversation of the same user is forked, at a block that it has.',
  },
  'issue 3, shown': {
    'timeline.stories':
      'Thousands of generated rounds break no prefix without a word, pair every call, name no path that leads nowhere, and give the same bytes again.',
  },
};
