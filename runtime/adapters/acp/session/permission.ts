import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type {
  ExternalCall,
  ExternalEvent,
  PermissionChoice,
  ResultPart,
} from '../../../engine/ports/external-agent.ts';

type Answer = (choice: PermissionChoice) => void;
type Question = {
  readonly call: ExternalCall;
  readonly parts: readonly ResultPart[];
  readonly answer: Answer;
};

export function toPermission(
  { options }: RequestPermissionRequest,
  { call, parts, answer }: Question,
): ExternalEvent {
  const mayRemember = options.some(({ kind }) => kind === 'allow_always');
  return { kind: 'permission', call, parts, mayRemember, answer };
}

type Asking = {
  /** The prompt was cancelled. */
  readonly signal: AbortSignal;
  ask(answer: Answer): void;
};

/** Asks, and waits for the answer; a cancelled prompt cancels the question. */
export function answerPermission(
  { options }: RequestPermissionRequest,
  { signal, ask }: Asking,
): Promise<RequestPermissionResponse> {
  return new Promise((resolve) => {
    const cancelled = { outcome: { outcome: 'cancelled' } } as const;
    signal.addEventListener('abort', () => resolve(cancelled));
    if (signal.aborted) resolve(cancelled);
    ask((choice) => {
      const option = optionFor(options, choice);
      if (!option) return resolve(cancelled);
      resolve({ outcome: { outcome: 'selected', optionId: option.optionId } });
    });
  });
}

const kinds: Readonly<Record<PermissionChoice, readonly PermissionOptionKind[]>> = {
  allow_once: ['allow_once', 'allow_always'],
  allow_always: ['allow_always', 'allow_once'],
  reject: ['reject_once', 'reject_always'],
};

/** The option of the first kind that the program offers. */
function optionFor(
  options: readonly PermissionOption[],
  choice: PermissionChoice,
): PermissionOption | undefined {
  for (const kind of kinds[choice]) {
    const option = options.find((each) => each.kind === kind);
    if (option) return option;
  }
  return undefined;
}
