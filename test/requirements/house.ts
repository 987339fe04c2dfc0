import type { Promises } from './promises.ts';

export const house: Promises = {
  'house.vocabulary':
    'Code, comments, tests and documents use plain technical English: words of a private dialect are refused.',
  'house.floors':
    'A module imports only from floors below it, type imports included, and imports have no cycles.',
  'house.sizes': 'No file is longer than 300 lines.',
  'house.one-environment': 'The environment is read in one file.',
  'house.quiet': 'Only the composition roots print.',
  'house.pure-core': 'The core has no waiting, clock, chance, environment or input and output.',
  'house.unmuted': 'Nobody mutes the rules of the house.',
  'house.branded-ids':
    'The compiler refuses an id where an id of another kind belongs; a branded id can be read as a plain string or number.',
  'house.packages': 'Every sub-path that the package exports leads to a source and a build of it.',
  'house.dependencies': 'Every dependency has a page that says what it is for.',
  'house.api-reference':
    'The API reference of timeloom/sdk, client, client/react and testing is made from the types, and a test fails when it is out of date.',
  'house.samples':
    'Every function of the public entries and every member of ctx has a sample in the guide that is compiled and tested.',
  'house.documents':
    'The documents link to what exists, name scripts that exist and hold no path of one machine.',
  'house.faults': 'Every fault code is documented, and every documented code exists.',
  'house.contracts': 'Every adapter of a port runs the contract suite of that port.',
  'house.requirements':
    'Every promise is cited by a test, and every gap is known and run as a test that must fail.',
  'house.compared':
    'Every behaviour of the systems that users come from is shown by a test here, or differs for a stated reason, with what users have instead.',
  'demo.runs':
    'The demo runs the whole conversation through the real gateway and sandbox, and exits with 0.',
  'demo.says-why':
    'A demo that fails prints the last lines that its server logged, and exits with 1.',
  'demo.without-sandbox':
    'Where nothing isolates the demo still runs, and says exactly what is missing.',
  'bench.figures': 'Every figure of the benchmarks is a ratio of one run.',
  'bench.documented':
    'The long run measures what every bench command measures, and compares it with the documents.',
  'house.figures': 'A figure has one source: the README states the ratios of docs/benchmarks.md.',
  'house.node':
    'Every command runs on a machine whose Node is too old, with one that it fetches from npm.',
  'house.sbom': 'A documented command lists every package that the product depends on.',
  'house.client-package':
    'The client is a package of its own, without the server: at most 30 kB with all that it needs.',
};
