/** Outer pages speak the language of their scenario, or of the browser. */

import { retell, speak } from "./words.js";

/**
 * Puts the page into its language, before its script adds to it.
 * @param {string} ours by CSS, where the text around it is an author's
 */
export function begin(ours = "") {
  const { language, words } = document.body.dataset;
  const tables = JSON.parse(words ?? "{}");
  const spoken = speak(language ? [language] : navigator.languages, tables);
  if (language || !ours) document.documentElement.lang = spoken;
  retell(ours || "body :not(script, .own)");
}
