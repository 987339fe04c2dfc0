import { type CancelCause, Cancelled } from '../../base/signal.ts';

/** Who stopped it, as a model should read it: after a steer it goes another way, after a shutdown the same one. */
export function stopReason({ reason }: AbortSignal): string {
  return reason instanceof Cancelled ? stops[reason.why] : 'Stopped';
}

const stops: Readonly<Record<CancelCause, string>> = {
  steer: 'Stopped by the user',
  deadline: 'Stopped at the deadline of what called it',
  shutdown: 'Stopped by a shutdown of the server',
  lease_lost: 'Stopped by the loss of its worker',
};
