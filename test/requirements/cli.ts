import type { Promises } from './promises.ts';

export const cli: Promises = {
  'cli.here':
    'In the folder of a bundle every command means that bundle, and finds the descriptors beside it.',
  'cli.old-revisions':
    'Of what is built from a bundle, the data directory keeps the newest few revisions only.',
  'embedded.memory':
    'A server with the embedded database that nobody uses takes at most about 300 MiB, at most 450 MiB at its start, and has no other process.',
  'cli.workers':
    'Beside the gateway of serve run worker processes, which share its database and Redis, are restarted, end with it, and take over from each other.',
  'topology.fleet':
    'Whatever fails in a fleet: every accepted message is answered, every turn has one end, and clients receive each event once, in order.',
  'topology.servers':
    'The same program runs on Postgres and Redis, and a client of one server sees what another works on.',
  'cli.approval': 'A question is asked in the terminal, and y or n decides it.',
  'cli.port': 'A server listens where its command says.',
  'cli.bundle-new': 'A new bundle has nothing wrong, its test passes, and it answers as a server.',
  'cli.newcomer':
    'From the packed package, a new bundle that reads a CSV beside it is checked, tested, talked with and served, without a key.',
  'cli.bundle-check':
    'A check reports every problem of a bundle that can be found without starting it, with its place, at once.',
  'cli.bundle-dev':
    'A bundle that changes serves from the next turn on; turns under way keep theirs, and one that does not load changes nothing.',
  'cli.bundle-dev-pages':
    'While a bundle is developed, its pages with packages are built when their sources change; one that cannot be built changes nothing.',
  'cli.projects':
    'The command line finds conversations of every project, or of one, and checks the bundles and jobs of all.',
  'cli.chat': 'The terminal client shows the channels as they stream.',
  'cli.layout':
    'In a terminal, lines break between words and no line is wider than the terminal; long programs are folded and answers are laid out.',
  'cli.citations':
    'In a terminal a citation is a number, and the titles and addresses of the sources stand below the answer.',
  'cli.plan': 'A terminal shows a plan with the state of each step.',
  'cli.progress':
    'A terminal shows the progress that a call reports, and of very much only the beginning.',
  'cli.colours': 'The chat has colours in a terminal that has them, and nowhere else.',
  'cli.chat-commands':
    'In a chat, a line after a slash is a command, and a command that does not exist names the nearest.',
  'eval.cases':
    'A folder of cases is read whole before anything runs, and every problem is named with its line.',
  'eval.checks': 'A check that an answer does not pass says what was found instead.',
  'eval.run':
    'Cases are played on a server of their own, and a model judges answers by a criterion.',
  'eval.compares': 'The next run of a folder says which cases it broke or mended.',
  'eval.stopped':
    'A run that is stopped or killed keeps the results of the cases that it has played, says that it is partial, and never exits with 0.',
  'eval.real-wire':
    'Agents and judges of an eval are models behind a provider, and the judge decides by a structured call.',
  'eval.from-feedback': 'A turn that a user has rated becomes a case.',
  'cli.through-server':
    'A command that finds its data directory held by a server looks at the timeline through that server.',
  'cli.harmless': 'Whatever a program, a tool or a model says, a terminal only shows it.',
  'cli.pipe': 'A command whose reader leaves, as `| head` does, ends quietly.',
  'cli.timeline-show':
    'timeline show has for each block what one looks for: tool names, reasons, tokens, durations and short paths.',
  'cli.timeline-reply': 'timeline reply prints what a model wrote, as it came.',
  'cli.timeline-list':
    'timeline list prints the conversations of a user, the newest activity first.',
  'uploads.s3':
    'A file uploaded in pieces, over several connections and processes, goes to the bucket in parts, once and whole.',
  'topology.s3-blobs': 'A server can keep its files in a bucket.',
  'cli.token':
    'With a shared secret alone the server can serve others, and a command makes their tokens.',
};
