import { runKeeper } from '../../adapters/fargate/keeper/run-keeper.ts';

// As PID 1 of its container, the process must handle SIGTERM itself.
process.once('SIGTERM', () => process.exit(0));
await runKeeper();
process.exit(0);
