import { timelineTables } from './0001-timeline.ts';
import { timelineWrites } from './0002-writes.ts';
import { timelineViews } from './0003-views.ts';
import { timelineMemory } from './0004-memory.ts';
import { timelineForks } from './0005-forks.ts';
import { timelineForkTurns } from './0006-fork-turns.ts';
import { memoryCentres } from './0007-centres.ts';
import { programCalls } from './0008-program-calls.ts';
import { feedbackIndex } from './0009-feedback.ts';
import { storedValues } from './0010-stored-values.ts';
import { erasure } from './0011-erasure.ts';
import { jobs } from './0012-jobs.ts';
import { conversationNames } from './0013-names.ts';
import { recentMigrations } from './recent/recent-migrations.ts';

/** In order; a migration's number is its position. Released migrations are never edited. */
export const migrations: readonly string[] = [
  timelineTables,
  timelineWrites,
  timelineViews,
  timelineMemory,
  timelineForks,
  timelineForkTurns,
  memoryCentres,
  programCalls,
  feedbackIndex,
  storedValues,
  erasure,
  jobs,
  conversationNames,
  ...recentMigrations,
];
