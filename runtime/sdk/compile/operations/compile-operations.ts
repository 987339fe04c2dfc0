import { isRefusal } from '../../../base/refusal.ts';
import { operationTimeoutMs, operationTimeoutMsMax } from '../../contract/limits.ts';
import type {
  BundleOperation,
  OperationAnswer,
  OperationRequest,
} from '../../contract/runtime-bundle.ts';
import type { Context, RequestContext } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { OperationDefinition } from '../../define/surfaces.ts';
import { createContext } from '../context/base-context.ts';
import { withUserProps } from '../context/user-props.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { keyValueOf } from '../host/key-value-store.ts';
import { jsonSchemaProblems } from '../validate/json-schema-fit.ts';
import { checkIds, type Problems } from '../validate/problems.ts';
import { toJsonSchema, toReturned, toSentence, toViolations } from '../validate/zod-schema.ts';
import { failureAnswer, okAnswer, passAnswer, refusedAnswer } from './operation-answer.ts';
import { inputOf, toRequest } from './operation-input.ts';

/** Compiles the operations of a bundle. */
export function compileOperations(
  loaded: LoadedBundle,
  problems: Problems,
): readonly BundleOperation[] {
  const { operations = [] } = loaded.definition;
  checkIds(
    'operation',
    operations.map(({ id }) => id),
    problems,
  );
  return operations.flatMap((operation) => {
    if (!isDefinition('operation', operation)) {
      problems.add('an operation was not made by defineOperation');
      return [];
    }
    const unfit = jsonSchemaProblems(operation.input, `input of operation “${operation.id}”`);
    for (const problem of [...problemsOf(operation), ...unfit]) problems.add(problem);
    return [compileOperation(operation, loaded)];
  });
}

export function compileOperation(
  operation: OperationDefinition,
  loaded: LoadedBundle,
): BundleOperation {
  const { id, method = 'POST', access = 'user', timeoutMs = operationTimeoutMs } = operation;
  const answer: BundleOperation['answer'] = (request, asking) =>
    answerOperation(operation, { loaded, request, ...asking });
  return { id, method, access, timeoutMs, schemas: () => schemasOf(operation), answer };
}

function schemasOf({ input, output }: OperationDefinition) {
  const returned = output && toJsonSchema(output, 'output');
  return { input: toJsonSchema(input), ...(returned && { output: returned }) };
}

/** Repeats the compiler's checks for authors who write JavaScript. */
function problemsOf(operation: OperationDefinition): readonly string[] {
  const {
    id,
    method = 'POST',
    access = 'user',
    verify,
    timeoutMs = operationTimeoutMs,
  } = operation;
  const found: string[] = [];
  if (!fitsAccess(verify, access)) {
    found.push(
      access === 'public'
        ? `operation “${id}” is public and must say how it verifies its caller: a function, or 'none'`
        : `operation “${id}” has a verify, which only a public operation can have`,
    );
  }
  if (!['GET', 'POST'].includes(method))
    found.push(`operation “${id}”: method must be GET or POST`);
  if (!(timeoutMs > 0 && timeoutMs <= operationTimeoutMsMax)) {
    found.push(`operation “${id}”: timeoutMs must be between 1 and ${operationTimeoutMsMax}`);
  }
  return found;
}

function fitsAccess(verify: unknown, access: NonNullable<OperationDefinition['access']>): boolean {
  if (access === 'public') return verify === 'none' || typeof verify === 'function';
  return verify === undefined;
}

type OperationCall = {
  readonly loaded: LoadedBundle;
  readonly request: OperationRequest;
  readonly user?: string;
  readonly signal: AbortSignal;
};

async function answerOperation(
  operation: OperationDefinition,
  { loaded, request, user, signal }: OperationCall,
): Promise<OperationAnswer> {
  const { mask } = loaded;
  const bare = contextOf(operation, {
    loaded,
    request,
    signal,
    ...(user === undefined ? {} : { user }),
  });
  try {
    const ctx = await withUserProps(bare, loaded);
    if (!(await isVerified(operation, { request, ctx }))) {
      return refusedAnswer(401, { code: 'unverified', message: 'the caller was not verified' });
    }
    const given = await inputOf(operation, request);
    if (!given.ok) return refusedAnswer(400, { code: 'invalid_input', message: given.because });
    signal.throwIfAborted();
    const returned = await operation.run(given.input, ctx);
    if (isRefusal(returned)) throw returned;
    if (returned instanceof Response) return await passAnswer(returned, mask);
    return okAnswer(mask.json(await checkedResult(operation, returned)));
  } catch (error) {
    signal.throwIfAborted();
    return failureAnswer(error, { log: bare.log, mask });
  }
}

/** A verifier that throws rejects the caller. */
async function isVerified(
  { access, verify }: OperationDefinition,
  { request, ctx }: { request: OperationRequest; ctx: Context },
): Promise<boolean> {
  if (access !== 'public' || verify === 'none') return true;
  try {
    return (await verify?.(toRequest(request), ctx)) === true;
  } catch (error) {
    ctx.signal.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    ctx.log.warn('operation not verified', { error: said });
    return false;
  }
}

/** `ctx` has a user if the caller is identified. */
function contextOf({ id }: OperationDefinition, asked: OperationCall): RequestContext {
  const { loaded, request, user, signal } = asked;
  const { host, definition, revision } = loaded;
  const { tenant, project } = host;
  const who = user === undefined ? {} : { user };
  const ids = { tenant, project, bundle: definition.id, revision, ...who };
  const log = host.log.with({ bundle: definition.id, operation: id });
  const { storage, ...base } = createContext(loaded, { ids, signal, log });
  const own = user === undefined ? {} : { user: keyValueOf(host.storage, ids, 'user') };
  return { ...base, storage: { ...storage, ...own }, request: toRequest(request) };
}

async function checkedResult({ id, output }: OperationDefinition, returned: unknown) {
  if (!output) return toReturned(returned);
  const parsed = await output.safeParseAsync(returned);
  if (parsed.success) return toReturned(parsed.data);
  const because = toSentence(toViolations(parsed.error));
  throw new Error(`The value that ${id} returned does not fit its output: ${because}`);
}
