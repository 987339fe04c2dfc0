import { runKeeper } from '../../adapters/fargate/keeper/run-keeper.ts';

// PID 1 of its container: nothing else would end it.
process.once('SIGTERM', () => process.exit(0));
await runKeeper();
process.exit(0);
