/** Buttons that copy a text. */

import { phrase } from "./words.js";

/**
 * Writes a text to the clipboard, also where a page from disk may only do it the old way, and says so on a
 * button.
 * @param {HTMLElement} button
 * @param {string} text
 */
export async function copied(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.dataset.name ??= button.textContent ?? "";
  button.textContent = phrase("Copied");
  setTimeout(() => {
    button.textContent = button.dataset.name ?? "";
  }, 1500);
}
