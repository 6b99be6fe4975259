/** Whether somebody is writing, so that a key is a letter. */
export const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
