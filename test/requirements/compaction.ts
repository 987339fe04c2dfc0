import type { Promises } from './promises.ts';

export const compaction: Promises = {
  'compact.lowers':
    'A compaction makes the prompt strictly smaller, or changes nothing and says why.',
  'compact.window':
    'A reader who begins at the window knows what one who read the whole log knows.',
  'compact.pairs': 'A compaction never comes between a call and its result.',
  'compact.attachments': 'A compaction leaves the preview of an attachment as it was.',
  'compact.unseen':
    'A compaction in mid-turn takes no round that no prompt has shown, nor the last replies that could not be read.',
  'compact.refs': 'Every path that a memory names leads somewhere.',
  'compact.events': 'No event of a compacted turn is swallowed.',
  'compact.files':
    'What was made to keep stays named in a memory, however little room there is for it.',
  'compact.successes':
    'As the room of a memory ends, files and calls that succeeded outlive calls that failed.',
  'compact.skills': 'A memory names the skills that were read, and how to have them again.',
  'compact.notes':
    'A summary model reads which notes the memory keeps word for word, so that no rule appears twice.',
  'compact.plans':
    'A compaction names the open plans that the board has no room for; of what is over, nothing stands as if it were open.',
  'compact.more': 'A list of a memory that was shortened says how many more there are, and where.',
  'compact.same-bytes': 'The same log gives the same memory, byte for byte.',
  'compact.for-ever': 'A conversation goes on within its limit, compaction after compaction.',
  'compact.overflow':
    'A prompt that the provider finds too large is compacted and asked again, once.',
  'compact.extract': 'A summary model that fails, or says too little or too much, is done without.',
  'compact.paid':
    'A summary is requested only if it can make the prompt smaller, and one that was paid for is used, cut to what fits.',
  'compact.usage': 'What a summary costs is on the budget of its turn.',
  'compact.goes-on': 'Events are taken in while a summary is made, and the next round sees them.',
  'compact.steer': 'A steer stops the summary that is being made, and the work goes on.',
  'compact.recovery': 'A compaction whose owner was lost is ended and made again.',
  'compact.reading': 'Everything in a turn that was compacted is read as before.',
  'compact.state': 'Plans, sources, hides, pulls and standing permissions go on over a compaction.',
  'compact.needles':
    'After many compactions what is pinned is in the prompt, and 99 of 100 other facts are at most two reads away.',
  'compact.stopped':
    'A turn that a stop ended is compacted like any other; its stop need not be read first.',
  'compact.programs':
    'The summariser of half a turn reads the beginning of its programs, and where the whole of each is.',
  'compact.continues':
    'A summary of rounds continues the one before it: a summary model reads only the rounds since, and its text stays bounded and says nothing twice.',
  'compact.mid-turn': 'A turn that outgrows its prompt goes on from a ledger of its own rounds.',
};
