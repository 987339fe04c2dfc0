export function formatBytes(size: number): string {
  if (size < 1_000) return `${size} bytes`;
  return size < 1_000_000
    ? `${Math.round(size / 1_000)} kB`
    : `${(size / 1_000_000).toFixed(1)} MB`;
}

export function formatDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const minuteMs = 60_000;

export function formatAge(ms: number): string {
  const minutes = Math.round(ms / minuteMs);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return hours === 1 ? 'an hour ago' : `${hours} hours ago`;
  const days = Math.round(hours / 24);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
