import type { Promises } from './promises.ts';

export const deploy: Promises = {
  'deploy.server-image':
    'The server image runs without root on Postgres, Redis and S3, lets a token in and runs programs in Docker.',
  'deploy.compose':
    'The compose file sets only what the server reads, asks for every secret and pins its images.',
};
