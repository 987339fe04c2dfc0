const tones = ['rain', 'sun', 'cold', 'plain'];

/** The findings in a text that may still be growing: one JSON object a line; the last line counts once it is whole. */
export function toFindings(text, { whole }) {
  const lines = text.split('\n');
  const ended = whole ? lines : lines.slice(0, -1);
  return ended.flatMap((line) => toFinding(line.trim()));
}

function toFinding(line) {
  if (line === '') return [];
  try {
    const { label, value, note, tone, series } = JSON.parse(line);
    return [
      {
        label: String(label ?? ''),
        value: String(value ?? ''),
        note: note === undefined ? '' : String(note),
        tone: tones.includes(tone) ? tone : 'plain',
        series: Array.isArray(series) ? series.map(Number).filter(Number.isFinite).slice(0, 60) : [],
      },
    ];
  } catch {
    return [];
  }
}
