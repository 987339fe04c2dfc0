import fc from 'fast-check';
import { runs, seed } from './runs.ts';

fc.configureGlobal({ seed, ...runs(100) });
