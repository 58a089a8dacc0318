// Loaded first by every page of the editor: keys that it has no use for do nothing, as in a program that is no browser.
// Without this they open windows of Chromium, close this one, or show a dialog over it that takes the next keys.
(() => {
  const FIELD_KEYS = /^(?:[acvxyz]|Arrow\w+|Backspace|Delete|End|Enter|Home|Insert| )$/i; // edit text in any field
  const BROWSER_KEYS = /^(?:F(?!10$)\d+|Browser\w+)$/; // F10 with Shift asks for a menu
  window.addEventListener("keydown", (event) => {
    const modified = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
    const edits = modified && !event.altKey && FIELD_KEYS.test(event.key);
    if (BROWSER_KEYS.test(event.key) || (modified && !edits)) event.preventDefault();
  });
})();
