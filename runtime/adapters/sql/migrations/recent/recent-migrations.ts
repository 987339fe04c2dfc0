import { functionSets } from './0014-function-set.ts';
import { vectorIndex } from './0015-vector-index.ts';
import { directWrites } from './0016-direct-writes.ts';
import { usageIndex } from './0017-usage-index.ts';
import { pins } from './0018-pins.ts';
import { userErasure } from './0019-user-erasure.ts';
import { lateErasure } from './0020-late-erasure.ts';

/** The migrations since functions stand in files of their own. */
export const recentMigrations: readonly string[] = [
  functionSets,
  vectorIndex,
  directWrites,
  usageIndex,
  pins,
  userErasure,
  lateErasure,
];
