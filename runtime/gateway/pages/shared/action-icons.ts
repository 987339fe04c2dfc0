/** Icons of what can be done with an answer, a file or a canvas. */
export const branchIcon =
  'M6 4v10m0 0a3 3 0 1 0 0 6 3 3 0 0 0 0-6m12-10a3 3 0 1 0 0 6 3 3 0 0 0 0-6m0 6c0 5-6 4-11 6';
export const checkIcon = 'm5 12.5 4.5 4.5L19 7.5';
export const closeIcon = 'M6 6l12 12M18 6 6 18';
export const copyIcon = 'M9 9h10v11H9zM5 15V4h10';
export const downIcon =
  'M7 4v9m0-9h8l3.5 7.5a2 2 0 0 1-1.8 2.8H13l.8 4a1.6 1.6 0 0 1-2.8 1.3L7 13H4V4z';
export const downloadIcon = 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14';
export const openIcon = 'M14 4h6v6M20 4l-9 9M17 14v5H5V7h5';
export const retryIcon = 'M19 12a7 7 0 1 1-2.2-5.1M19.5 3.5V8H15';
export const upIcon =
  'M7 20v-9m0 9h8l3.5-7.5a2 2 0 0 0-1.8-2.8H13l.8-4A1.6 1.6 0 0 0 11 4.4L7 11H4v9z';
