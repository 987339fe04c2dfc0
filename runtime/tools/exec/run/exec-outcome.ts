import type { Json } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { fileName } from '../../files/file-path.ts';
import type { ContractItem, ExecArtifact, ExecEnvelope, TextPreview } from '../../ports/sandbox.ts';
import type { CallContext, ToolError, ToolOutcome } from '../../ports/tool.ts';
import { stopReason } from '../../results/stop-reason.ts';
import { cutText, grouped } from '../../text/cut-text.ts';
import type { CallDigest } from '../host/exec-host.ts';
import { type CallOutcomes, inDoubtNotices, outcomesText } from '../host/resolve-in-doubt.ts';
import { callsListedMax, pathsNamedMax, resultPreviewChars } from '../limits.ts';
import { unpulledFiles } from '../program/unpulled-files.ts';

type EndedProgram = {
  readonly envelope: ExecEnvelope;
  readonly calls: readonly CallDigest[];
  readonly counted: ReadonlyMap<string, number>;
  /** Outcomes of its calls with effects. */
  readonly outcomes: CallOutcomes;
  /** Contract paths as the model wrote them; `contract` has them normalised. */
  readonly requested: readonly { readonly filepath: string }[];
  readonly contract: readonly ContractItem[];
  /** Files of this turn that were not copied for it. */
  readonly tooLarge: readonly string[];
  readonly id: string;
};

/** Turns the end of a program into the outcome of its call: the report as preview, the envelope as value, a block for every file. */
export function toOutcome(ended: EndedProgram, context: CallContext): ToolOutcome {
  const { envelope } = ended;
  const ret = toRet(ended, context);
  const files = envelope.artifacts.map((artifact) => toBlock(artifact, context));
  const blocks = [...files, ...inDoubtNotices(ended.outcomes, context)];
  const preview = [envelope.report_text, ...hints(ended, context)].join('\n\n');
  const more = { blocks, preview, ...programCalls(ended.counted) };
  if (envelope.error === null) return { result: { ok: true, ret }, ...more };
  return { result: { ok: false, error: toError(envelope, envelope.error), ret }, ...more };
}

/** The envelope with paths instead of hashes, and the calls of the program. */
function toRet({ envelope, calls, outcomes, id }: EndedProgram, { turn }: CallContext): Json {
  const artifacts = envelope.artifacts.map(({ blob, preview, ...artifact }) => ({
    ...artifact,
    ...(preview && cutPreview(preview)),
    path: paths.file(turn, artifact.filepath),
    size: blob.size,
  }));
  const error = envelope.error && {
    ...envelope.error,
    ...(envelope.error.files ? { files: envelope.error.files.map((file) => ({ ...file })) } : {}),
  };
  const left = envelope.left?.map((file) => ({ ...file }));
  return {
    ...envelope,
    ...(left ? { left } : {}),
    artifacts,
    error,
    execution_id: id,
    calls: calls.slice(0, callsListedMax).map((call) => ({ ...call })),
    calls_total: calls.length,
    ...inDoubt(outcomes),
  };
}

export function programCalls(
  counted: ReadonlyMap<string, number>,
): Pick<ToolOutcome, 'programCalls'> {
  return counted.size === 0 ? {} : { programCalls: Object.fromEntries(counted) };
}

/** The block of the file has the longer preview; a small result stays inline in the log. */
function cutPreview(preview: TextPreview): TextPreview {
  const text_preview = cutText(preview.text_preview, resultPreviewChars);
  const isCut = text_preview.length < preview.text_preview.length;
  return { ...preview, text_preview, text_truncated: preview.text_truncated || isCut };
}

/** Ids that the program gave to its calls in doubt. */
export function inDoubt(outcomes: CallOutcomes): { readonly in_doubt?: readonly string[] } {
  const ids = outcomes.inDoubt.map(({ id }) => id);
  return ids.length === 0 ? {} : { in_doubt: ids.slice(0, callsListedMax) };
}

/** The block of a file that a program produced. */
export function toBlock(artifact: ExecArtifact, { turn, call }: CallContext): Draft {
  const { filepath, mime, blob, visibility, description, preview } = artifact;
  const data = { filename: fileName(filepath), size: blob.size, visibility, description };
  return {
    turn,
    call,
    type: 'artifact.file',
    author: 'tool',
    path: paths.file(turn, filepath),
    mime,
    blob,
    data,
    ...(preview === undefined ? {} : { text: preview.text_preview }),
  };
}

function toError(
  { kill_reason }: ExecEnvelope,
  { code, message }: { code: string; message: string },
): ToolError {
  if (kill_reason === 'cancelled') return { code: 'interrupted', message, retryable: false };
  return { code, message, retryable: kill_reason === 'lost' };
}

/** The reason for the stop, and an explicit statement if no call is in doubt. */
function stopLine(
  { envelope, outcomes }: Pick<EndedProgram, 'envelope' | 'outcomes'>,
  { signal }: CallContext,
): readonly string[] {
  if (envelope.kill_reason !== 'cancelled') return [];
  const doubt = outcomes.inDoubt.length === 0 ? ' None of its calls is in doubt.' : '';
  return [`${stopReason(signal)}.${doubt}`];
}

function hints(
  { envelope, outcomes, requested, contract, tooLarge }: EndedProgram,
  context: CallContext,
): readonly string[] {
  const { turn, call } = context;
  const moved = contract.flatMap(({ filepath }, index) => {
    const before = requested[index]?.filepath ?? filepath;
    return before === filepath ? [] : [`${before} is ${filepath}`];
  });
  const { path: shown } = shortNames(context.view);
  const result = shown(paths.result(turn, call));
  // A program that ended on its own received the outcomes of its calls; if its files were lost, the model might run it again.
  const knows = envelope.kill_reason === null && envelope.error?.code !== 'not_collected';
  const listed = knows ? { ...outcomes, ended: [] } : outcomes;
  return [
    ...stopLine({ envelope, outcomes }, context),
    ...[outcomesText(listed)].filter((text) => text !== ''),
    ...(moved.length > 0 ? [`Contract paths were completed: ${moved.join(', ')}.`] : []),
    ...(envelope.user_out === undefined
      ? []
      : [
          `Programs read its first ${grouped(envelope.user_out.length)} characters: payload.user_out of what ctx_tools.fetch_ctx("${result}") returns.`,
        ]),
    ...(tooLarge.length === 0
      ? []
      : [
          `Too large for a copy in OUTPUT_DIR; ctx_tools.fetch_file opens them: ${tooLarge.slice(0, pathsNamedMax).map(shown).join(', ')}`,
        ]),
    ...unpulledFiles(envelope, context),
  ];
}
