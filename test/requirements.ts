import { bundles } from './requirements/bundles.ts';
import { cli } from './requirements/cli.ts';
import { compaction } from './requirements/compaction.ts';
import { conversations } from './requirements/conversations.ts';
import { deploy } from './requirements/deploy.ts';
import { endpoints } from './requirements/endpoints.ts';
import { execution } from './requirements/execution.ts';
import { gateway } from './requirements/gateway.ts';
import { house } from './requirements/house.ts';
import { mcp } from './requirements/mcp.ts';
import { memory } from './requirements/memory.ts';
import { models } from './requirements/models.ts';
import { openai } from './requirements/openai.ts';
import { page } from './requirements/page.ts';
import { storage } from './requirements/storage.ts';
import { surfaces } from './requirements/surfaces.ts';
import { timeline } from './requirements/timeline.ts';
import { tools } from './requirements/tools.ts';
import { turns } from './requirements/turns.ts';

/**
 * What the product promises, one file for each subject. A test cites ids in a comment that begins `proves:`; a promise
 * that no test cites fails `test/architecture/requirements.test.ts`.
 */
const subjects = [
  bundles,
  cli,
  compaction,
  conversations,
  deploy,
  endpoints,
  execution,
  gateway,
  house,
  mcp,
  memory,
  models,
  openai,
  page,
  storage,
  surfaces,
  timeline,
  tools,
  turns,
];

/** Each id with its claim: one sentence that a reader can check. */
export const requirements: ReadonlyMap<string, string> = new Map(
  subjects.flatMap((subject) => Object.entries(subject)),
);
