import type { Promises } from './promises.ts';

export const ofIssue2: Promises = {
  'issue 2.1': {
    'house.floors':
      'A module imports only from floors below it, type imports included, and there are no cycles.',
    'house.sizes': 'No file is longer than 300 lines.',
    'house.one-environment': 'The environment is read in one file.',
    'house.quiet': 'Only the composition roots print.',
    'house.pure-core': 'The core has no waiting, clock, chance, environment or input and output.',
    'house.unmuted': 'Nobody mutes the rules of the house.',
    'house.packages':
      'Every sub-path that the package exports leads to a source and a build of it.',
    'house.dependencies': 'Every dependency has a page that says what it is for.',
    'house.documents':
      'The documents link to what exists, name scripts that exist and hold no path of one machine.',
    'house.faults': 'Every fault code is documented, and every documented code exists.',
    'house.contracts': 'Every adapter of a port runs the contract suite of that port.',
    'house.requirements':
      'Every promise is cited by a test, and every gap is known and run as a test that must fail.',
  },
  'issue 2.2': {
    'timeline.total-fold':
      'Every block applies to every view; one of an unknown type changes nothing.',
    'timeline.checkpoints':
      'A prompt has at most three cache marks by rounds, none of them in SOURCES or ANNOUNCE.',
    'timeline.sources-once':
      'A source is told once, where it was found; the tail of a prompt names it again only when that is out of sight.',
    'timeline.announce':
      'ANNOUNCE tells budget, time, open plans and live events, and nothing above it does.',
    'timeline.plans':
      'A plan is opened, acknowledged in notes, replaced and closed, and each state is a block.',
    'timeline.sources': 'The same address is the same source and keeps its number.',
    'timeline.summaries': 'The working summary of a turn is kept and found again in a later turn.',
    'timeline.paths': 'Every path that a block names resolves.',
    'store.fenced-append': 'An append with a lower fence than the row holds writes nothing.',
    'store.append-once': 'The same append again gets the first answer and writes nothing.',
    'store.conditional-close': 'A close behind the gate is held back while a newer event waits.',
    'store.accept-once':
      'The same message again is a duplicate; with another body it is a conflict.',
    'store.one-prompt-a-turn':
      'Of prompts that race into one turn one is its prompt; the others join it as followups.',
    'store.window': 'A reader starts at the window that the owner named last.',
    'store.clock': 'Times of a log never go back, whatever the clock does.',
    'store.read-by-index': 'A page of a log, or the block of a path, is read by an index alone.',
    'store.parked': 'A parked turn is looked at when it is due or an event arrives, not before.',
    'store.hand-over': 'A lease handed over is due at once and is not counted as a take-over.',
    'store.as-written':
      'Text and data come back as they were written, NUL and lone surrogates made well-formed first.',
    'store.migrations': 'Numbered migrations make the golden schema, once, in both databases.',
    'blobs.contract':
      'Bytes are named by their hash, are durable when put resolves, and are verified when read.',
  },
  'issue 2.3': {
    'scanner.any-cut': 'Any cut of a text gives the same events as the whole.',
    'scanner.linear': 'The work of the scanner grows with the length of the output, not faster.',
    'scanner.no-hold-back': 'Only what may become a tag is held back.',
    'scanner.quoted-tags':
      'A channel opened with an id closes only by that id, so generated code may contain any text.',
    'channels.decision':
      'A decision is read as it streams, mended where harmless and refused with its place where not.',
    'channels.instances': 'A channel may be opened again and again; every instance is numbered.',
    'channels.citations': 'Citations become links while the answer streams.',
  },
  'issue 2.4': {
    'engine.instruction':
      'The system instruction is one text with a version and at most 2,500 tokens.',
    'engine.budget':
      'A turn has 15 rounds unless told otherwise, and a spent budget ends in one finalising call.',
    'engine.violations': 'A violation of the protocol is told to the model in full and counted.',
    'engine.degraded': 'After too many violations the raw text becomes an answer marked degraded.',
    'engine.followup': 'A followup is folded at the next decision and cancels nothing.',
    'engine.steer': 'A steer stops the running generation, and the turn goes on with it.',
    'engine.hand-over':
      'A worker that stops gives its turns to the next one at once, and nobody counts it as a crash.',
    'engine.one-owner': 'Of racing owners one works on a conversation.',
    'engine.take-over': 'A turn whose owner died is finished or closed legally by the next owner.',
  },
  'issue 2.5': {
    'models.contract':
      'Every model says its text in pieces and ends with exactly one done, or throws.',
    'models.cache-marks': 'The checkpoints of a prompt become the cache marks of the provider.',
    'models.base-urls': 'Each provider is reached at the address that the configuration gives.',
    'models.wire':
      'The adapters read the streaming wire of the providers, however its bytes are torn.',
    'models.scripts': 'A script says what it was told in the order told, and refuses to guess.',
  },
  'issue 2.6': {
    'approval.asked':
      'A tool that asks for approval does not start before a person has allowed it; no answer in time is a no.',
    'approval.once':
      'Whatever crashes or races, a person is asked once about a call, and the first decision in time counts.',
    'approval.remembered':
      'A yes or a no can stand for one call, for the turn or for the conversation.',
    'approval.nested':
      'From inside a program or another tool nobody is asked: the call is denied and says what to do instead.',
    'approval.door':
      'A decision reaches the call it is about, once; wrong, late and repeated ones are refused with a code.',
    'external.door': 'The answer of a client is taken once and in time, or refused with a code.',
    'external.performed':
      'A client performs an external tool, once over any number of reconnects, and its answer is checked.',
    'parked.free':
      'A parked turn holds no worker, costs no time of its budget and goes on when somebody answers or it is too late.',
    'tools.validation':
      'Input is mended where harmless and refused with the path of every mistake.',
    'tools.side-by-side':
      'Calls of one decision whose tools are safe run side by side; others are alone.',
    'tools.whole-result': 'A large result is previewed and stays whole under its tc: path.',
    'tools.read': 'react.read shows what a path holds, in windows that can be read on.',
    'tools.write-patch':
      'react.write makes a file and react.patch changes it where its hunks match.',
    'tools.plan': 'react.plan opens, replaces, activates and closes plans.',
    'tools.memsearch':
      'react.memsearch finds what was said in earlier turns of the user, and of nobody else.',
    'tools.hide': 'react.hide replaces a path in the prompt, and its text can still be read.',
    'tools.rg': 'react.rg finds text in the files of the conversation.',
    'tools.pull-checkout':
      'react.pull and react.checkout bring files of earlier turns to programs.',
  },
  'issue 2.7': {
    'exec.languages': 'Programs in Python and JavaScript run, and call tools, in parallel too.',
    'exec.contract': 'Declared files are checked and delivered; the fit ones survive a failed run.',
    'exec.one-envelope': 'Every backend gives the same envelope for the same program.',
    'exec.frames': 'A hostile frame ends the execution and nothing else.',
    'exec.kill': 'A program that runs too long is killed, with everything it started.',
    'exec.docker':
      'Docker split runs the executor without network, capabilities or a writable root.',
    'exec.auto':
      'auto takes Docker if it answers, else the process sandbox, else refuses and names the fix.',
    'exec.journal': 'Calls of a program are journalled, the intent before the effect.',
  },
  'issue 2.8': {
    'recall.unseen':
      'An event that no round has seen can be taken back: no model reads it, no search finds it, no turn stays open for it.',
    'recall.true': 'What a recall answers is true: an event that a round has seen stays.',
    'gateway.duplicate-send': 'A message sent twice is acknowledged twice and accepted once.',
    'gateway.replay':
      'A client that comes back with its cursor gets what it missed, once, in order.',
    'gateway.health': '/health asks the store and says how it is.',
    'gateway.methods': 'An address asked with a method that it does not take says which it takes.',
    'gateway.attachments':
      'Attachments are checked by content and capped; what is refused leaves nothing.',
    'approval.page': 'The page asks what a tool wants allowed, and Allow and Deny decide it.',
    'client.approval': 'A question is an event and stands in the picture until it is decided.',
    'client.duplicate-ended':
      'A message sent again after its turn had ended gets the end of that turn.',
    'cli.approval': 'A question is asked in the terminal, and y or n decides it.',
    'client.react':
      'A component that uses a conversation is drawn with every change of its picture, and acts in it.',
    'client.turn':
      'A client sends, follows each channel, adds a followup, steers and is told the end.',
    'cli.port': 'A server listens where its command says.',
    'cli.bundle-new':
      'A new bundle has nothing wrong, its test passes, and it answers as a server.',
    'cli.bundle-check':
      'What is wrong with a bundle and can be known without starting it is told, with its place, all at once.',
    'cli.bundle-dev':
      'A bundle that changes serves from the next turn on; turns under way keep theirs, and one that does not load changes nothing.',
    'cli.chat': 'The terminal client shows the channels as they stream.',
    'web.page':
      'The web page shows thinking, a growing widget and a file to download, and can stop a turn.',
  },
  'issue 2.9': {
    'sdk.bundle':
      'A bundle is a folder; what is wrong with it is told at the load, every culprit by name.',
    'sdk.known-words':
      'A word of a definition that nobody knows is named, with the nearest known one; it never passes in silence.',
    'sdk.spelling': 'The definitions compile as documented, and their misuse does not.',
    'sdk.testing': 'An author tests a bundle with a scripted model over the real engine.',
    'sdk.analyst':
      'The demo bundle answers from the attached data, with a program, a widget and sources.',
  },
  'issue 2.10': {
    'demo.runs':
      'The demo runs the whole conversation through the real gateway and sandbox, and exits with 0.',
    'demo.without-sandbox':
      'Where nothing isolates the demo still runs, and says exactly what is missing.',
    'crash.kill':
      'A server killed in mid-turn and started again finishes or closes the turn legally.',
    'bench.figures': 'Every figure of the benchmarks is a ratio of one run.',
  },
  'issue 2, bad input': {
    'bad.socket-payload':
      'A malformed socket payload is refused with its place, and the socket goes on.',
    'bad.wrong-tenant': 'A client of another tenant is refused.',
    'bad.unknown-tool': 'An unknown tool is a result that the model can read.',
    'bad.broken-decision': 'A broken decision is a violation that the model is told.',
    'bad.code-without-exec':
      'Code without an action that runs it is a violation that the model is told.',
    'bad.oversized-attachment':
      'An attachment over its cap is refused before it is read to its end.',
    'bad.data-dir': 'An unwritable data directory stops the start with its own fault.',
    'bad.port': 'A port in use stops the start with its own fault.',
    'bad.model-key': 'A missing key of the model stops the start with its own fault.',
  },
};
