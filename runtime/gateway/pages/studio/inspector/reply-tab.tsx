import { useAddress } from '../data/address.ts';
import { duration, money, short } from '../data/format.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { Reply } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import type { TabProps } from './tab-props.ts';

/** The reply as the model wrote it, with its channels in colours. */
export function ReplyTab({ log, round }: TabProps) {
  const { to } = useAddress();
  const url =
    round?.reply === undefined
      ? undefined
      : logPath(log.conversation_id, `rounds/${round.seq}/reply`);
  const { data, error } = useJson<Reply>(url);
  if (url === undefined) return <p className="none">This round has no reply.</p>;
  if (error) return <Problem error={error} />;
  if (!data) return <p role="status">Loading…</p>;
  return (
    <div className="reply">
      <ReplyFacts facts={data.facts} />
      {data.notices.map(({ block, code, text }) => (
        <p key={block} className="problem">
          <a href={to({ tab: 'blocks', block })}>{code}</a> {text}
        </p>
      ))}
      <pre>
        {withOffsets(data.stretches).map(({ from, kind, name, text }) => (
          <span
            key={from}
            className={kind === 'channel' ? `channel ${channelClass(name)}` : kind}
            title={name}
          >
            {text}
          </span>
        ))}
      </pre>
      <p className="facts">
        became{' '}
        {data.blocks.map(({ seq, type }) => (
          <a key={seq} href={to({ tab: 'blocks', block: seq })}>
            {type} {seq}
          </a>
        ))}
      </p>
    </div>
  );
}

function ReplyFacts({ facts }: Pick<Reply, 'facts'>) {
  const {
    model,
    role,
    finish = 'unknown',
    usage = {},
    ms,
    first_token_ms: first,
    cost_usd,
  } = facts;
  const { input_tokens: input = 0, cache_read_tokens: read = 0, output_tokens: output = 0 } = usage;
  const parts = [
    model,
    role,
    `ended with ${finish}`,
    `${short(input)} in, ${short(read)} cached, ${short(output)} out`,
    duration(ms),
    first === undefined ? '' : `first token after ${duration(first)}`,
    money(cost_usd),
  ];
  return <p className="facts">{parts.filter(Boolean).join(' · ')}</p>;
}

function channelClass(name: string): string {
  if (name === 'thinking') return 'thinking';
  if (/^ReactDecision/.test(name)) return 'decision';
  return name === 'code' || name === 'canvas' ? name : 'other';
}

function withOffsets(stretches: Reply['stretches']) {
  let from = 0;
  return stretches.map((stretch) => {
    const placed = { ...stretch, from };
    from += stretch.text.length;
    return placed;
  });
}
