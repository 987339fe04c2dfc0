/** The cookie in which the page keeps the theme of its user. */
export const themeCookie = 'timeloom_theme';

/** Themes that a user can choose instead of the system's. */
export const chosenThemes = ['light', 'dark'] as const;
