import type { z } from 'zod';
import type { EventKind } from '../../contract/runtime-bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import type { EventDefinition } from '../../define/keys.ts';
import { jsonSchemaProblems } from '../validate/json-schema-fit.ts';
import { checkIds, type Problems } from '../validate/problems.ts';
import { toJson, toViolations } from '../validate/zod-schema.ts';

const reservedKinds = new Set([
  ...['prompt', 'followup', 'steer', 'feedback', 'approval.decision', 'external.result'],
  // Kinds that the runtime itself writes under `external.`.
  ...['call', 'result', 'recall', 'task'],
]);

/** The event kinds that the bundle accepts. */
export function compileEventKinds(
  events: readonly EventDefinition<z.ZodType>[],
  problems: Problems,
): readonly EventKind[] {
  checkIds(
    'event kind',
    events.map(({ kind }) => kind.replaceAll('_', '-')),
    problems,
  );
  return events.flatMap((event) => {
    if (reservedKinds.has(event.kind)) problems.add(`event kind “${event.kind}” is reserved`);
    if (!isDefinition('event', event)) {
      problems.add('an event was not made by defineEvent');
      return [];
    }
    if (event.credit === 1 && event.reactive !== true) {
      problems.add(
        `event kind “${event.kind}” has a credit, but only a reactive event can have one`,
      );
    }
    const unfit = jsonSchemaProblems(event.payload, `payload of event “${event.kind}”`);
    for (const problem of unfit) problems.add(problem);
    return [
      {
        kind: event.kind,
        reactive: event.reactive ?? false,
        credit: event.credit ?? 0,
        parse: (payload) => {
          const parsed = event.payload.safeParse(payload);
          if (!parsed.success) return { ok: false, violations: toViolations(parsed.error) };
          return { ok: true, payload: toJson(parsed.data), text: event.text(parsed.data) };
        },
      } satisfies EventKind,
    ];
  });
}
