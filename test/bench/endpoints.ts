import type { WireEnvelope } from '../../runtime/client/protocol/envelope.ts';
import { routeOf } from '../../runtime/client/protocol/routes.ts';
import { projectionNamed, projectionNames } from '../../runtime/gateway/endpoints/registry.ts';
import { beginning } from '../../runtime/gateway/feed/cursor.ts';
import { EnvelopeEncoder } from '../../runtime/gateway/feed/envelope-encoder.ts';
import { a2a } from '../../runtime/gateway/projections/a2a/a2a.ts';
import { McpProgress } from '../../runtime/gateway/projections/mcp.ts';
import { ResponseEvents } from '../../runtime/gateway/projections/openai/response-events.ts';
import type { ProjectionKind } from '../../runtime/gateway/projections/projection.ts';
import { sentUpTo } from '../../runtime/gateway/projections/resume-point.ts';
import { TurnFrames } from '../../runtime/gateway/projections/turn-frames.ts';
import type { Block } from '../../runtime/timeline/block.ts';
import { toSeq, toStreamName, toTurnId } from '../../runtime/timeline/ids.ts';
import { type Figure, toFigure } from './figure.ts';

const deltas = 1_000;
const rounds = 25;
const warmUps = 20;
const conversation = 'conv_0mwul01e7k1o3wxkca0j';
const turn = toTurnId('turn_0mwul01e7k1o3wxkca0j');
const stream = toStreamName(`${turn}.1.answer.0`);

/** Sends one turn with an answer of 1,000 deltas, and returns the bytes that a client gets. */
type Way = () => number;

/**
 * Processor time of one delta on its way from a worker's frame to the text of a server-sent event, in the words of
 * each protocol, beside our own envelope.
 */
export function benchEndpoints(): Figure[] {
  return Object.entries(ways()).map(([name, way]) => {
    const costs = Array.from({ length: warmUps + rounds }, () => [
      costOf(way),
      costOf(plain),
    ]).slice(warmUps);
    const id = `endpoints.${name.replace('-', '_')}_vs_envelope`;
    const ours = costs.map(([cost = 0]) => cost);
    return toFigure(id, { ours, theirs: costs.map(([, cost = 0]) => cost), unit: 'µs per delta' });
  });
}

function costOf(way: Way): number {
  const before = process.cpuUsage();
  const bytes = way();
  const { user, system } = process.cpuUsage(before);
  if (bytes === 0) throw new Error('a measured way did no work');
  return (user + system) / deltas;
}

const plain: Way = () => {
  let bytes = 0;
  for (const envelope of envelopes()) {
    const { type, cursor } = envelope;
    bytes += sizeOf(
      `event: ${routeOf(type)}\ndata: ${JSON.stringify(envelope)}\nid: ${cursor}\n\n`,
    );
  }
  return bytes;
};

/** Text that is put together from parts is made whole for this, as it is to be sent. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Every protocol: those that a stream names, and those with an endpoint of their own. */
function ways(): Readonly<Record<string, Way>> {
  const named = projectionNames.map((name) => [name, projected(projectionNamed(name))] as const);
  const options = { rpcId: 1, version: '1.0', origin: 'http://127.0.0.1:8080' } as const;
  return {
    ...Object.fromEntries(named),
    responses: projected({ open: () => new ResponseEvents(), isResumable: false }),
    a2a: projected(a2a(options)),
    mcp: progressed,
  };
}

/** An MCP client gets the calls and the result, and nothing for a delta. */
const progressed: Way = () => {
  const progress = new McpProgress();
  let bytes = 0;
  for (const envelope of envelopes()) {
    progress.take(envelope);
    bytes += envelope.cursor.length;
  }
  return bytes;
};

function projected(kind: ProjectionKind): Way {
  return () => {
    const after = sentUpTo(beginning);
    const frames = new TurnFrames(conversation, { start: beginning, after, kind });
    // A watcher that has caught up.
    frames.caughtUp();
    let bytes = 0;
    for (const envelope of envelopes()) {
      for (const { data, id = '' } of frames.take(envelope))
        bytes += sizeOf(`data: ${data}\nid: ${id}\n\n`);
    }
    return bytes;
  };
}

function* envelopes(): Generator<WireEnvelope> {
  const encoder = new EnvelopeEncoder(conversation, beginning);
  yield* encoder.block(blockOf(1, 'turn.open', { bundle: 'desk', agent: 'main', text: 'Hi' }));
  yield* encoder.block(blockOf(2, 'round.open', { round: 1, phase: 'decision' }));
  const place = { after: toSeq(2), fence: 1, turn, round: 1, stream, marker: 'answer' };
  const named = { kind: 'delta', channel: 'answer', instance: 0, completed: false } as const;
  for (let at = 0; at < deltas; at += 1) {
    yield* encoder.frame({ ...named, ...place, number: at + 1, text: 'words ', offset: at * 6 });
  }
}

function blockOf(seq: number, type: string, data: Block['data'] & object): Block {
  const at = '2026-01-01T00:00:00.000Z';
  return { conversation, seq: toSeq(seq), turn, at, type, author: 'system', data, meta: {} };
}
