import type { ReactNode } from 'react';

/** Icons are paths in a square of 24. Those that a first visit does not show are in `action-icons.ts`. */
export const attachIcon =
  'M19.5 11.5 12 19a5 5 0 0 1-7-7l8-8a3.4 3.4 0 0 1 4.8 4.8l-8 8a1.7 1.7 0 0 1-2.4-2.4l7.2-7.2';
export const editIcon = 'm4 20 1-4.5L16 4.5l3.5 3.5L8.5 19zM13.5 7l3.5 3.5';
export const menuIcon = 'M4 7h16M4 12h16M4 17h16';
export const moreIcon = 'M6 12h.01M12 12h.01M18 12h.01';
export const newIcon = 'M12 5v14M5 12h14';
export const pinIcon = 'M9 4h6l-1 6 3 3.5H7L10 10zM12 13.5V20';
export const searchIcon = 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14m5 12 4.5 4.5';

/** A decoration: the control that shows it has a name of its own. */
export function Icon({ path, size = 16 }: { path: string; size?: number }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
