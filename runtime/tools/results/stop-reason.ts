import { type CancelCause, Cancelled } from '../../base/signal.ts';

/** The reason for the stop, for the model: after a steer it changes its approach, after a shutdown it does not. */
export function stopReason({ reason }: AbortSignal): string {
  return reason instanceof Cancelled ? stops[reason.why] : 'Stopped';
}

const stops: Readonly<Record<CancelCause, string>> = {
  steer: 'Stopped by the user',
  deadline: 'Stopped at the deadline of what called it',
  shutdown: 'Stopped by a shutdown of the server',
  lease_lost: 'Stopped by the loss of its worker',
};
