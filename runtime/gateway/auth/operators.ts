import { Refusal } from '../../base/refusal.ts';
import type { AuthMode } from '../ports/tokens.ts';

const operatorRole = 'operator';

/** Refusal `forbidden` for users without the role; with dev authentication everyone has it. */
export function requireOperator({ mode }: Pick<AuthMode, 'mode'>, roles: readonly string[]): void {
  if (mode === 'jwt' && !roles.includes(operatorRole)) {
    throw new Refusal('forbidden', `requires the role ${operatorRole}`);
  }
}
